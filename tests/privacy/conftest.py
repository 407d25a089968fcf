"""Tables, policy and substitutor, as the unit tests of substitution have them."""

from tests.unit.substitution.conftest import communes, policy, substitutor

__all__ = ["communes", "policy", "substitutor"]
