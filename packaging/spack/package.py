"""Builds matchcount by Spack: in packages/matchcount/ of a repository, then `spack dev-build matchcount@0.2.0` in a clone."""

from spack.package import CMakePackage, CudaPackage, depends_on, license, variant, version


class Matchcount(CudaPackage, CMakePackage):
    """Counts perfect matchings, permanents and hafnians, exactly or with a bound on the error."""

    license("MIT")
    version("0.2.0")
    variant("mpi", default=False, description="Run over the ranks of an mpirun")
    variant("shared", default=True, description="Make the library for C++ a shared one")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("cxxopts@3:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("boost@1.74:+graph", type="build")
    depends_on("expat")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        arguments = [self.define("MATCHCOUNT_BUILD_TESTS", False), self.define("MATCHCOUNT_UNITY_BUILD", True),
                     self.define_from_variant("MATCHCOUNT_WITH_MPI", "mpi"),
                     self.define_from_variant("MATCHCOUNT_WITH_CUDA", "cuda"),
                     self.define_from_variant("BUILD_SHARED_LIBS", "shared")]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            arguments.append(self.define("MATCHCOUNT_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return arguments
