"""skops keeps models too: it asks for trust in the classes of bayfold and of nobody else."""

from __future__ import annotations

import pytest

from tests.persist.models import MODELS, answers, fitted

skops = pytest.importorskip("skops.io")


@pytest.mark.parametrize("name", MODELS)
def test_models_come_back_from_skops(name):
    model = fitted(name)
    content = skops.dumps(model)
    untrusted = skops.get_untrusted_types(data=content)
    assert all(kind.startswith("bayfold.") for kind in untrusted)
    assert answers(skops.loads(content, trusted=untrusted)) == answers(model)
