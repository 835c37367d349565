from tests.pages.conftest import _empty_cache, bank, member, premium, staff

__all__ = ["_empty_cache", "bank", "member", "premium", "staff"]
