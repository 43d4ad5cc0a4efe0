"""Names that are known beforehand: technologies and places of the world, first names; and those a memory knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from everfact.extractors.local.reading.tokens import Token
from everfact.words import word_set

_TECHNOLOGIES = """
PostgreSQL,Postgres,MySQL,MariaDB,SQLite,MongoDB,Redis,Memcached,Cassandra,CockroachDB,DynamoDB,Elasticsearch,
OpenSearch,ClickHouse,Snowflake,BigQuery,Redshift,DuckDB,Neo4j,FalkorDB,Kuzu,Supabase,Firebase,InfluxDB,TimescaleDB,
Couchbase,CouchDB,Kafka,RabbitMQ,NATS,ActiveMQ,ZeroMQ,Pulsar,Celery,Sidekiq,Airflow,Dagster,Prefect,dbt,Spark,
Hadoop,Flink,Databricks,Kubernetes,k8s,Docker,Podman,Helm,Terraform,Pulumi,Ansible,Puppet,Vagrant,Nomad,Consul,
Vault,Istio,Envoy,Linkerd,nginx,Nginx,Apache,Caddy,HAProxy,Traefik,Varnish,Cloudflare,Fastly,AWS,Azure,GCP,
Google Cloud,Heroku,Vercel,Netlify,DigitalOcean,Hetzner,Linode,Fly.io,S3,EC2,Lambda,CloudFront,GitHub Actions,
GitHub,GitLab,Bitbucket,Gitea,Jenkins,CircleCI,Travis CI,TeamCity,Buildkite,Bamboo,ArgoCD,Python,JavaScript,
TypeScript,Java,Kotlin,Scala,Clojure,Go,Golang,Rust,C++,C#,Ruby on Rails,Ruby,Rails,PHP,Laravel,Symfony,Perl,Swift,
Objective-C,Haskell,Erlang,Elixir,Phoenix,Julia,Lua,Zig,Nim,OCaml,Fortran,COBOL,Bash,PowerShell,Node.js,Nodejs,Deno,
Bun,npm,Yarn,pnpm,React Native,React,Redux,Vue.js,Vue,Nuxt,Angular,Svelte,SvelteKit,Next.js,Remix,Gatsby,Astro,
jQuery,Tailwind,Bootstrap,Webpack,Vite,Rollup,esbuild,Babel,ESLint,Prettier,Jest,Vitest,Mocha,Cypress,Playwright,
Selenium,Puppeteer,Storybook,Electron,Tauri,Flutter,Dart,Ionic,Django,Flask,FastAPI,Starlette,Tornado,Pyramid,
SQLAlchemy,Alembic,Pydantic,Pytest,pytest,unittest,Poetry,pip,uv,conda,Anaconda,Jupyter,NumPy,numpy,pandas,Polars,
SciPy,scikit-learn,PyTorch,TensorFlow,Keras,JAX,Hugging Face,LangChain,OpenAI,Anthropic,Ollama,GPT-4,ChatGPT,
Claude Code,Copilot,Cursor,Spring Boot,Spring,Hibernate,Maven,Gradle,Quarkus,Ktor,.NET,ASP.NET,Blazor,Unity,Unreal,
Godot,GraphQL,gRPC,REST,OpenAPI,Swagger,Protobuf,Avro,Thrift,JSON,YAML,TOML,XML,CSV,Parquet,Markdown,HTML,CSS,Sass,
SQL,Linux,Ubuntu,Debian,Fedora,CentOS,Alpine,Arch Linux,NixOS,Nix,Windows,macOS,iOS,Android,FreeBSD,Vim,Neovim,
Emacs,VS Code,VSCode,Visual Studio,IntelliJ,PyCharm,WebStorm,Sublime Text,Zed,Eclipse,Xcode,Android Studio,tmux,zsh,
fish shell,Slack,Discord,Zoom,Teams,Notion,Confluence,Jira,Linear,Asana,Trello,Figma,Sketch,Miro,Obsidian,Evernote,
Google Docs,Google Sheets,Excel,Prometheus,Grafana,Datadog,New Relic,Sentry,Splunk,Loki,Jaeger,OpenTelemetry,Zipkin,
Kibana,Logstash,PagerDuty,Opsgenie,Stripe API,Twilio,SendGrid,Mailchimp,Okta,Auth0,Keycloak,OAuth,JWT,LDAP,SAML,TLS,
SSH,Git,git,SVN,Mercurial,Bazel,CMake,Make,Meson,Ninja,Black,ruff,Ruff,mypy,pylint,flake8,isort,SonarQube,
Dependabot,Renovate,Raspberry Pi,Arduino,ESP32,MQTT,OpenCV,FFmpeg,Blender,Photoshop,WordPress,Drupal,Shopify,
Magento,Salesforce,HubSpot,Zendesk,SAP,Tableau,Looker,Power BI,Metabase,Superset,MCP,LLM,RAG,pgvector,Pinecone,
Weaviate,Qdrant,Milvus,Chroma,FAISS,usearch,MinIO,Ceph,HDFS,ZooKeeper,etcd,Solr,Lucene,Meilisearch,Algolia,
Typesense,WebSocket,WebAssembly,WASM,WebRTC,HTMX,Alpine.js,Solid.js,Preact,Backbone,Ember,Knockout,Grunt,Gulp,
Parcel,Turborepo,Nx,Lerna,Prisma,TypeORM,Sequelize,Mongoose,Knex,Express,Koa,Fastify,NestJS,Hapi,Gin,Echo,Fiber,
Actix,Axum,Rocket,Tokio,asyncio,gunicorn,uvicorn,Puma,Passenger,Capistrano,Chef,Salt
"""
_ORDINARY = word_set(
    "go rust ruby rails spring swift flask phoenix express react angular remix astro bootstrap electron puppet "
    "nomad consul vault helm envoy yarn poetry black make ninja cursor unity unreal windows teams linear notion "
    "sketch zoom slack excel vim lambda prefect spark flink pulsar celery apache chef salt echo gin fiber rocket "
    "parcel ember backbone knockout chroma looker superset solid julia dart bun jest mocha cypress babel storybook "
    "ionic pyramid tornado alembic black conda java python perl rest arch loki teams rag gulp grunt hapi koa puma "
    "passenger nix zed eclipse fastly bamboo snowflake caddy jaeger linear prettier ansible docker sap bash pip uv"
)
"""Technologies whose name is a word as well: only with a capital letter."""

_PLACES = """
Afghanistan,Albania,Algeria,Argentina,Armenia,Australia,Austria,Azerbaijan,Bangladesh,Belarus,Belgium,Bolivia,
Bosnia,Brazil,Britain,Bulgaria,Cambodia,Cameroon,Canada,Chile,China,Colombia,Croatia,Cuba,Cyprus,Czech Republic,
Denmark,Ecuador,Egypt,England,Estonia,Ethiopia,Europe,Finland,France,Germany,Ghana,Greece,Guatemala,Hungary,Iceland,
India,Indonesia,Iran,Iraq,Ireland,Israel,Italy,Ivory Coast,Jamaica,Japan,Kazakhstan,Kenya,Korea,Kuwait,Laos,Latvia,
Lebanon,Libya,Lithuania,Luxembourg,Malaysia,Malta,Mexico,Moldova,Mongolia,Morocco,Nepal,Netherlands,New Zealand,
Nigeria,North Korea,Norway,Pakistan,Panama,Paraguay,Peru,Philippines,Poland,Portugal,Romania,Russia,Saudi Arabia,
Scotland,Serbia,Singapore,Slovakia,Slovenia,Somalia,South Africa,South Korea,Soviet Union,Spain,Sri Lanka,Sudan,
Sweden,Switzerland,Syria,Taiwan,Tanzania,Thailand,Tunisia,Turkey,Uganda,Ukraine,United Arab Emirates,United Kingdom,
United States of America,United States,USA,U.S.,U.S.A.,UK,U.K.,Uruguay,Venezuela,Vietnam,Wales,Yemen,Zambia,
Zimbabwe,Africa,Asia,North America,South America,Amsterdam,Athens,Atlanta,Auckland,Bangkok,Barcelona,Basel,Beijing,
Belgrade,Berlin,Bern,Bogota,Boston,Brussels,Bucharest,Budapest,Buenos Aires,Cairo,Cape Town,Chicago,Cologne,
Copenhagen,Dallas,Delhi,Denver,Detroit,Dubai,Dublin,Edinburgh,Frankfurt,Geneva,Glasgow,Graz,Hamburg,Hanoi,Havana,
Helsinki,Hong Kong,Houston,Istanbul,Jakarta,Jerusalem,Johannesburg,Kyiv,Kiev,Kraków,Krakow,Kyoto,Lagos,Las Vegas,
Leeds,Leipzig,Lima,Lisbon,Liverpool,Ljubljana,London,Los Angeles,Lyon,Madrid,Malmö,Manchester,Manila,Marseille,
Melbourne,Mexico City,Miami,Milan,Montreal,Moscow,Mumbai,Munich,Nairobi,Naples,New Delhi,New York City,New York,NYC,
Oslo,Osaka,Ottawa,Oxford,Paris,Philadelphia,Portland,Porto,Prague,Quebec,Reykjavik,Riga,Rio de Janeiro,Rome,
Rotterdam,Salzburg,San Diego,San Francisco,Santiago,São Paulo,Seattle,Seoul,Seville,Shanghai,Stockholm,Strasbourg,
Stuttgart,Sydney,Taipei,Tallinn,Tbilisi,Tel Aviv,Tokyo,Toronto,Toulouse,Turin,Valencia,Vancouver,Venice,Vienna,
Vilnius,Warsaw,Washington,Wellington,Zagreb,Zurich,Zürich,Alabama,Alaska,Arizona,Arkansas,California,Colorado,
Connecticut,Florida,Hawaii,Illinois,Indiana,Iowa,Kansas,Kentucky,Louisiana,Maine,Maryland,Massachusetts,Michigan,
Minnesota,Missouri,Montana,Nebraska,Nevada,New Jersey,New Mexico,North Carolina,Ohio,Oklahoma,Oregon,Pennsylvania,
Tennessee,Texas,Utah,Vermont,Wisconsin,Bavaria,Tuscany,Catalonia,Brittany,Ontario,British Columbia,Queensland,
Punjab,Kerala,Bristol,Cambridge,Birmingham,Nottingham,Sheffield,Bergen,Gothenburg,Aarhus,Ghent,Antwerp,Bologna,
Genoa,Verona,Granada,Bilbao,Malaga,Dresden,Bremen,Hanover,Nuremberg,Innsbruck,Lausanne
"""
_PEOPLE = """
aaron abigail adam adriana ahmed aisha alan alba albert alejandro alex alexander alexandra ali alice alicia alina
alison amanda amber amelia amina amir amit amy ana anders andre andrea andreas andrew andy angela anh anita anjali
ann anna anne annie anthony anton antonio anya arjun arthur astrid audrey ava axel barbara beatrice ben benjamin
bernard beth bianca bill bjorn bob boris brandon brenda brian bruno caleb calvin camille carl carla carlos carmen
carol caroline carter catherine cecilia charles charlie charlotte chen chiara chloe chris christian christina
christine christopher claire clara claudia colin connor craig cynthia daisy dan dana daniel daniela dave david dawn
deborah deepak denise dennis diana diego dimitri dmitri dominic donald donna doris dorothy douglas dylan edgar edith
eduardo edward elena eli elias elif elijah elisa elizabeth ella ellen elsa emil emily emma emre enrique eric erica
erik erin esther ethan eugene eva evan evelyn fabio fatima felix fernando filip fiona frances francesca francesco
francis frank fred frederick gabriel gabriela gary george gerald gina giorgio giovanni giulia gloria grace graham
greg gregory greta guillermo gustav hana hannah hans harold harriet harry hassan heather hector heidi helen helena
henrik henry hiroshi hugo ian ibrahim ines ingrid irene iris isaac isabel isabella ivan jack jacob jake jakub james
jamie jan jana jane janet jasmine jason javier jean jeff jennifer jenny jeremy jess jesse jessica jill jim jin joan
joana joanna joe joel johan johanna john jolene jon jonas jonathan jordan jorge jose joseph josh joshua joy juan
judith julia julian julie jun justin kai karen karim karin karl kate katherine kathleen katie keiko keith kelly ken
kenji kenneth kevin kim klaus kristen kurt kyle lara lars laura lauren laurent lea leah lee leila lena leo leon
leonard li lily lin linda lisa liz lorenzo louis louise luca lucas lucia lucy luis luke lydia madison magnus malik
marc marco marcus margaret maria mariam marie marina mario marion marta martha martin mary mateo matt matteo matthew
max maya megan mehmet mei melanie melissa mia michael michel michelle miguel mikael mike mikhail mila milan milos
miriam mohamed mohammed molly monica muhammad mustafa nadia naomi natalia natalie nate nathan neha neil nia nicholas
nick nicola nicole niklas nina noah noor nora norman oliver olivia omar oscar otto pablo pam pamela paolo patricia
patrick paul paula paulo pavel pedro penelope peter petra phil philip pierre piotr priya rachel rafael rahul raj
ralph ramon rania raul raymond rebecca renata ricardo richard rick rita rob robert roberto robin roger roland ronald
rosa rosie ross roy ruth ryan sabine sally sam samantha samir samuel sandra sanjay sara sarah scott sean sebastian
sergei sergio shannon sharon sheila simon siobhan sofia sonia sophia sophie stacy stefan stella stephanie stephen
steve steven stuart susan sven sylvia takashi tanya tara tariq ted teresa theo theodore theresa thomas tim timothy
tina tobias todd tom tomas tomás tony tracy tyler ursula valentina valerie vanessa vera veronica victor victoria
vikram vincent viola virginia vivian vladimir walter wanda wei wendy will william wolfgang xavier yan yara yasmin
yuki yusuf yuto yvonne zach zachary zara zoe
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A name to look for: what to call it, its type, and whether it needs its capital letters."""

    words: tuple[str, ...]
    name: str
    type: str
    is_cased: bool = True


class Gazetteer:
    """Names by their first word; the longest that fits wins."""

    def __init__(self, names: Iterable[Known]) -> None:
        self._by_first: dict[str, list[Known]] = {}
        for known in names:
            self._by_first.setdefault(known.words[0], []).append(known)
        for entries in self._by_first.values():
            entries.sort(key=lambda known: -len(known.words))

    def __contains__(self, first: str) -> bool:
        """Whether some name begins with this word."""
        return first in self._by_first

    def match(self, tokens: list[Token], at: int) -> Known | None:
        """The longest known name that begins at this token."""
        for known in self._by_first.get(tokens[at].lower, ()):
            part = tokens[at : at + len(known.words)]
            if tuple(token.lower for token in part) == known.words and (
                not known.is_cased or any(char.isupper() for char in part[0].text)
            ):
                return known
        return None


def is_first_name(word: str) -> bool:
    """Whether people are called so."""
    return word in _first_names()


@cache
def _first_names() -> frozenset[str]:
    return frozenset(_PEOPLE.split())


@cache
def world() -> Gazetteer:
    """Technologies and places that everybody knows."""
    names = []
    for text, kind in ((_TECHNOLOGIES, "Technology"), (_PLACES, "Location")):
        for name in filter(None, (part.strip() for part in text.replace("\n", " ").split(","))):
            words = tuple(name.lower().split())
            is_cased = kind == "Location" or name.lower() in _ORDINARY
            names.append(Known(words, name, kind, is_cased))
    return Gazetteer(names)
