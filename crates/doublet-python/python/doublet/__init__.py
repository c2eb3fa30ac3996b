"""Finds exact, near and partial duplicates in collections of text, and says why each pair is one.

    >>> import doublet
    >>> texts = ["The ferry leaves at 9 from the north pier.", "THE FERRY LEAVES AT 10, FROM THE NORTH PIER!"]
    >>> doublet.dedup(texts).kept
    ['The ferry leaves at 9 from the north pier.']

The functions are the commands of `doublet`, their keywords its options, with the same defaults and the same results: `doublet dedup --help`
explains each. Data can be lists of strings or dicts, data frames of pandas and polars, tables and readers of Arrow, datasets of Hugging Face,
and paths.
"""

from ._commands import Answer as Answer
from ._commands import advise as advise
from ._commands import background as background
from ._commands import check as check
from ._commands import clusters as clusters
from ._commands import dedup as dedup
from ._commands import eval as eval
from ._commands import inspect as inspect
from ._commands import pairs as pairs
from ._compare import Comparison as Comparison
from ._compare import Passage as Passage
from ._compare import compare as compare
from ._index import Index as Index
from ._native import __version__ as __version__
from ._result import Result as Result
from ._result import Summary as Summary
from .errors import DoubletError as DoubletError
from .errors import DoubletWarning as DoubletWarning
from .errors import FileError as FileError
from .errors import IndexDamagedError as IndexDamagedError
from .errors import InputError as InputError
from .errors import OptionError as OptionError

# `eval` and `inspect` are left out of `from doublet import *`: they would hide those of Python.
__all__ = [
    "Answer",
    "Comparison",
    "DoubletError",
    "DoubletWarning",
    "FileError",
    "Index",
    "IndexDamagedError",
    "InputError",
    "OptionError",
    "Passage",
    "Result",
    "Summary",
    "advise",
    "background",
    "check",
    "clusters",
    "compare",
    "dedup",
    "pairs",
]
