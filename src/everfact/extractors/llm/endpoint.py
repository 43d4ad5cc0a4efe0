"""One request to one model: who serves it, in which form it is asked, and foreign errors made ours.

The only module that knows pydantic-ai, which takes a second to import and is imported when first needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from everfact.errors import ConfigError, ExtractError, ModelAnswerInvalid, ModelRefused, ModelUnavailable
from everfact.extractors.llm.prompts import Prompt

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model

_ADDRESSES = {
    "openrouter": "https://openrouter.ai/api/v1",
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
    "lmstudio": "http://localhost:1234/v1",
    "llamacpp": "http://localhost:8080/v1",
}
_KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "groq": "GROQ_API_KEY",
    "azure": "AZURE_OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
}
_LOCAL = ("ollama", "vllm", "lmstudio", "llamacpp")
_BUSY = (408, 409, 425, 429)
_GARBLED = ("JSONDecodeError", "APIResponseValidationError")
_UNSENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")


class Mode(StrEnum):
    """How a model is told the shape of its answer, the strictest first."""

    NATIVE = "native"
    TOOL = "tool"
    PROMPTED = "prompted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model and where it is served."""

    provider: str
    model: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.provider == "azure" and not self.base_url:
            raise ConfigError("llm.base_url is not set", hint="set it to https://NAME.openai.azure.com")
        variable = _KEYS.get(self.provider, "")
        is_own = bool(self.base_url) and self.provider == "openai"
        if variable and not self.api_key and not is_own:
            raise ConfigError(
                f"{self.name} needs a key", hint=f"set {variable} or llm.api_key; an empty llm.model needs none"
            )

    @property
    def name(self) -> str:
        """The model by its full name."""
        return f"{self.provider}:{self.model}"

    @property
    def address(self) -> str:
        """Where it is served; empty for the provider's own address."""
        if self.provider == "azure" and "/openai" not in self.base_url:
            return f"{self.base_url.rstrip('/')}/openai/v1/"
        return self.base_url or _ADDRESSES.get(self.provider, "")

    @property
    def is_free(self) -> bool:
        """Whether it runs on a machine of one's own, as far as its address tells."""
        host = self.address.partition("://")[2].partition("/")[0].rpartition(":")[0]
        return self.provider in _LOCAL or host in ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, and what it says that took."""

    text: str
    input_tokens: int
    output_tokens: int
    mode: Mode = Mode.PROMPTED


async def prepare() -> None:
    """Import what requests need, in a thread."""
    for module in ("pydantic_ai.direct", "pydantic_ai.messages"):
        await asyncio.to_thread(import_module, module)


def modes(endpoint: Endpoint) -> tuple[Mode, ...]:
    """The forms worth trying."""
    is_native = make_model(endpoint).profile.get("supports_json_schema_output", False)
    return tuple(Mode) if is_native else (Mode.TOOL, Mode.PROMPTED)


def make_model(endpoint: Endpoint) -> Model[Any]:
    """The model as pydantic-ai has it."""
    key, address = endpoint.api_key or None, endpoint.address or None
    if endpoint.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(endpoint.model, provider=AnthropicProvider(api_key=key, base_url=address))
    if endpoint.provider == "gemini":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(endpoint.model, provider=GoogleProvider(api_key=key, base_url=address))
    if endpoint.provider == "groq":
        from pydantic_ai.models.groq import GroqModel
        from pydantic_ai.providers.groq import GroqProvider

        return GroqModel(endpoint.model, provider=GroqProvider(api_key=key, base_url=address))
    return _openai(endpoint)


def _openai(endpoint: Endpoint) -> Model[Any]:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if endpoint.provider == "azure" or not endpoint.address:
        provider = OpenAIProvider(base_url=endpoint.address or None, api_key=endpoint.api_key)
        return OpenAIChatModel(endpoint.model, provider=provider)
    # `max_tokens` is the name of the limit that all compatible servers know.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False, supports_json_schema_output=True)
    compatible = OpenAICompatibleProvider(
        endpoint.provider, base_url=endpoint.address, api_key=endpoint.api_key or None, profile=profile
    )
    return OpenAIChatModel(endpoint.model, provider=compatible)


async def request(endpoint: Endpoint, prompt: Prompt, mode: Mode, *, max_tokens: int, seconds: float) -> Reply:
    """Ask once; nothing is tried again here.

    Raises:
        ModelUnavailable: it did not answer, but may later.
        ModelRefused: it was not asked in a form that it takes, or is not ours to ask.
        ModelAnswerInvalid: what came back is no answer at all.
    """
    from pydantic_ai.direct import model_request
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    schema = prompt.schema
    if mode is Mode.NATIVE:
        shape = OutputObjectDefinition(json_schema=schema, name=prompt.name)
        form = ModelRequestParameters(output_mode="native", output_object=shape, allow_text_output=True)
    elif mode is Mode.TOOL:
        tool = ToolDefinition(name=prompt.name, parameters_json_schema=schema, kind="output")
        form = ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    else:
        form = ModelRequestParameters(output_mode="text", allow_text_output=True)
    with _translated(endpoint, seconds):
        model = make_model(endpoint)
        async with asyncio.timeout(seconds), model:
            response = await model_request(
                model,
                _messages(prompt),
                model_settings={"max_tokens": max_tokens, "max_retries": 0, "timeout": seconds},
                model_request_parameters=form,
            )
    parts = [part.args_as_json_str() for part in response.tool_calls] or [response.text or ""]
    return Reply(parts[0], response.usage.input_tokens, response.usage.output_tokens)


def _messages(prompt: Prompt) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    told: list[ModelMessage] = [
        ModelRequest(parts=[SystemPromptPart(prompt.instructions), UserPromptPart(prompt.text)])
    ]
    if prompt.complaint:
        told.append(ModelResponse(parts=[TextPart(prompt.wrong or "(nothing)")]))
        told.append(ModelRequest(parts=[UserPromptPart(prompt.complaint)]))
    return told


@contextmanager
def _translated(endpoint: Endpoint, seconds: float) -> Iterator[None]:
    from pydantic_ai.exceptions import AgentRunError, ModelAPIError, ModelHTTPError, UserError

    try:
        yield
    except ModelHTTPError as error:
        raise _by_status(endpoint, error) from error
    except TimeoutError as error:
        raise ModelUnavailable(f"{endpoint.name} did not answer within {seconds:.0f} s", may_cost=True) from error
    except ModelAPIError as error:
        causes = {type(cause).__name__ for cause in _causes(error)}
        if not causes.isdisjoint(_GARBLED):
            raise ModelAnswerInvalid(f"{endpoint.name} sent no JSON", hint="check llm.base_url") from error
        was_sent = causes.isdisjoint(_UNSENT)
        raise ModelUnavailable(
            f"{endpoint.name} {'broke off' if was_sent else 'cannot be reached'}: {error.message}"[:300],
            hint="" if was_sent else "is it running, and is llm.base_url right?",
            was_sent=was_sent,
            may_cost=was_sent,
        ) from error
    except UserError as error:
        raise ModelRefused(f"{endpoint.name} cannot be asked so: {error}"[:300], is_form=True) from error
    except (AgentRunError, ValueError, LookupError, TypeError, AttributeError) as error:
        # What a library makes of a body that is none of its provider's is anybody's guess.
        raise ModelAnswerInvalid(f"{endpoint.name} sent something that is no answer: {error}"[:300]) from error


def _by_status(endpoint: Endpoint, error: Any) -> ExtractError:
    from pydantic_ai.exceptions import ModelContextWindowExceededError, ModelNotFoundError, ModelQuotaExceededError

    status, said = error.status_code, f"{endpoint.name} answers {error.status_code}"
    if isinstance(error, ModelQuotaExceededError):
        return ModelRefused(f"{said}: the quota is used up", hint="look at the account of llm.api_key")
    if status in _BUSY or (status >= 500 and status != 501):
        return ModelUnavailable(said, retry_after=error.retry_after)
    if status in (401, 402, 403):
        return ModelRefused(f"{said}: it does not let us in", hint="check llm.api_key")
    if isinstance(error, ModelNotFoundError):
        return ModelRefused(f"{said}: there is no such model or address", hint="check llm.model and llm.base_url")
    is_long = isinstance(error, ModelContextWindowExceededError)
    return ModelRefused(f"{said}: {error.body}"[:300], is_form=not is_long)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
