"""Optional modules, and decorators that skip a test without them."""

import importlib.util
import unittest


def has(module):
    return importlib.util.find_spec(module) is not None


def needs(module):
    return unittest.skipUnless(has(module), f"{module} is not installed")


needs_pandas = needs("pandas")
needs_matplotlib = needs("matplotlib")
