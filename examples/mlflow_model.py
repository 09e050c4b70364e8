"""Keep a model in MLflow: the safe model file as an artifact, its scores, and a scorer that MLflow can serve.

    pip install mlflow && python examples/mlflow_model.py [FOLDER]

The artifact is the file that ``model.save`` writes, so loading it runs no code of the model.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import mlflow
import mlflow.pyfunc
import pandas as pd

import bayfold
from bayfold import NaiveBayesClassifier
from bayfold.datasets import make_credit
from bayfold.evaluate import cross_validate, summarise


class BayfoldScorer(mlflow.pyfunc.PythonModel):
    """Probabilities of each class, by the names of the classes."""

    def load_context(self, context):
        self.model = bayfold.load(context.artifacts["bayfold"])

    def predict(self, context, model_input: pd.DataFrame, params=None):
        probabilities = self.model.predict_proba(model_input)
        return pd.DataFrame(probabilities, columns=self.model.classes_, index=model_input.index)


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
mlflow.set_experiment("credit")

credit = make_credit(2000, random_state=0)
table = credit.frame.to_pandas()
model = NaiveBayesClassifier().fit(table, credit.target)
scores = summarise(cross_validate({"model": model}, table, credit.target, n_repeats=1))[0]

with TemporaryDirectory() as scratch, mlflow.start_run() as run:
    path = Path(scratch, "credit.bayfold")
    model.save(path)
    mlflow.log_params({name: str(value) for name, value in model.get_params().items()})
    mlflow.log_metrics({name: float(scores[name]) for name in ("error", "log_loss")})
    mlflow.log_text(model.card("Whether a loan is paid back."), "card.md")
    mlflow.pyfunc.log_model(
        name="model", python_model=BayfoldScorer(), artifacts={"bayfold": str(path)}
    )

served = mlflow.pyfunc.load_model(f"runs:/{run.info.run_id}/model")
expected = model.predict_proba(table[:5])
assert (served.predict(table[:5]).to_numpy() == expected).all()
print(
    f"error {scores['error']:.3f}, log-loss {scores['log_loss']:.3f}; the model from MLflow answers alike"
)
