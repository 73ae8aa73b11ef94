"""Pictures of the documentation, which tests in a browser write into the folder MICROAGG_PICTURES."""

import io
import os
from pathlib import Path

PICTURES = os.environ.get("MICROAGG_PICTURES") and Path(os.environ["MICROAGG_PICTURES"]).resolve()


def small(content):
    """Return a picture with few colours, which its file needs less room for."""
    from PIL import Image

    out = io.BytesIO()
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    picture.quantize(255).save(out, "PNG", optimize=True)
    return out.getvalue()
