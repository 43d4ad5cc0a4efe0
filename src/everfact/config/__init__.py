"""Settings and where each of them came from; the only reader of environment and config files.

`settings` says what can be set, `kinds` what a value of each kind may be, `address` what a store's URL may be,
`sources` reads our own flags, variables and files, `graphiti` those of Graphiti, and `loaded` puts them in order.
`project` says which project we work for and which group that has.
"""

from everfact.config.graphiti import split_model
from everfact.config.kinds import Secret
from everfact.config.loaded import Loaded, Places, Row, load
from everfact.config.project import current_session, default_group, project_dir, transcript_folders
from everfact.config.settings import EntityType, Settings

__all__ = [
    "EntityType",
    "Loaded",
    "Places",
    "Row",
    "Secret",
    "Settings",
    "current_session",
    "default_group",
    "load",
    "project_dir",
    "split_model",
    "transcript_folders",
]
