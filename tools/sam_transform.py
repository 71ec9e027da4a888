"""Prints what AWS would make of a SAM template, as JSON: the transform that the service itself runs, without an account.

    python3 tools/sam_transform.py template.yaml > transformed.json

The transform wants code to be uploaded already and definitions to be where it cannot look, as `sam package` would leave
them; so code gets an address that is never read, and definitions go in by value.
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")

from samtranslator.model.exceptions import InvalidDocumentException  # noqa: E402
from samtranslator.translator.transform import transform  # noqa: E402
from samtranslator.yaml_helper import yaml_parse  # noqa: E402


class NoManagedPolicies:
    """Ours name no managed policy, so none has to be looked up."""

    def load(self):
        return {}


def packaged(path: pathlib.Path) -> dict:
    template = yaml_parse(path.read_text())
    template.get("Globals", {}).get("Function", {}).pop("CodeUri", None)
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        if resource["Type"] == "AWS::Serverless::Function":
            properties["CodeUri"] = "s3://never-read/code.zip"
        if resource["Type"] == "AWS::Serverless::StateMachine" and "DefinitionUri" in properties:
            properties["Definition"] = json.loads((path.parent / properties.pop("DefinitionUri")).read_text())
    return template


def main() -> int:
    try:
        out = transform(packaged(pathlib.Path(sys.argv[1])), {}, NoManagedPolicies())
    except InvalidDocumentException as refused:
        for cause in refused.causes:
            print(cause.message, file=sys.stderr)
        return 1
    json.dump(out, sys.stdout, indent=1, sort_keys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
