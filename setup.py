"""Name the wheel's packages and data: the folder `sql/` becomes `deid/sql`. The rest stands in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["deid", "deid.*"]), "deid.sql"],
    package_dir={"deid.sql": "sql"},
    package_data={
        "deid": [
            "**/*.toml",
            "config/policies/*.yaml",
            "formats/maps/*.yaml",
            "formats/typefaces/*.ttf",
            "formats/typefaces/LICENSE_DEJAVU",
            "locale/*/LC_MESSAGES/*.mo",
            *(f"models/*/*.{ending}" for ending in ("json", "md", "safetensors")),
            *(f"reference/packaged_data/*/*.{ending}" for ending in ("gz", "lookup", "tables")),
            "refresh/sources/*.yaml",
            "reports/templates/*",
            "reports/templates/data_docs/*",
            "wording/*.yaml",
        ],
        "deid.sql": ["**/*.sql"],
    },
)
