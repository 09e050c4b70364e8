"""Rows scored in onnxruntime."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bayfold.core.frames.labels import label_of


def run_onnx(model, frame, names=("prediction", "probabilities")):
    """The outputs for all rows of a frame."""
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    feeds = {}
    for found in session.get_inputs():
        column = frame[found.name]
        if found.type == "tensor(string)":
            cells = ["" if pd.isna(cell) else label_of(cell) for cell in column.astype(object)]
            feeds[found.name] = np.array(cells, object)[:, None]
        else:
            if column.dtype.kind == "M":
                column = (column - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
            feeds[found.name] = column.to_numpy(np.float64, na_value=np.nan)[:, None]
    return session.run(list(names), feeds)
