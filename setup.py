"""The packages of the wheel: the code, the folders cases/ and meshes/ as data inside it, the compiled kernels."""

import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution


class BuildWithKernels(build_py):
    """Compiles the kernels for the baseline of this architecture, and puts them beside the code."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:  # a clone compiles into the user's cache, when it is first used
            return
        root = Path(__file__).resolve().parent
        sys.path.insert(0, str(root))
        from flexmbs.machine_code.shipping import ship

        ship(Path(self.build_lib) / "flexmbs" / "machine_code" / "shipped")


class PlatformWheel(bdist_wheel):
    """Machine code of one system and architecture, for every Python 3."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class WithMachineCode(Distribution):
    """A distribution that is built for one platform, although it has no extension modules."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    packages=[*find_packages(include=["flexmbs", "flexmbs.*"]), "flexmbs._cases", "flexmbs._meshes"],
    package_dir={"flexmbs._cases": "cases", "flexmbs._meshes": "meshes"},
    package_data={
        "flexmbs": ["py.typed", "__init__.pyi"],
        "flexmbs.app.verification": ["references/*"],
        "flexmbs.result.report": ["report.css"],
        "flexmbs.view.page": ["web/*"],
        "flexmbs._cases": ["*.*"],
        "flexmbs._meshes": ["*.*"],
    },
    cmdclass={"build_py": BuildWithKernels, "bdist_wheel": PlatformWheel},
    distclass=WithMachineCode,
)
