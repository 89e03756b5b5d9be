"""The packages of the wheel: the code, and the folders cases/ and meshes/ as data inside it."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["flexmbs", "flexmbs.*"]), "flexmbs._cases", "flexmbs._meshes"],
    package_dir={"flexmbs._cases": "cases", "flexmbs._meshes": "meshes"},
    package_data={
        "flexmbs": ["py.typed", "__init__.pyi"],
        "flexmbs.app.verification": ["references/*"],
        "flexmbs._cases": ["*.*"],
        "flexmbs._meshes": ["*.*"],
    },
)
