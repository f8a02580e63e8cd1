# Defines, for the scripts beside it, what fetches libraries of another Debian than the one that they run on.

# unpack_packages RELEASE ARCHITECTURE FOLDER PACKAGE...: unpacks a release's packages for an architecture into a folder,
# with the machine's own apt left alone. Needs apt and dpkg-deb.
unpack_packages() {
  local release=$1 architecture=$2 folder=$3 mirror lists package
  shift 3
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Release: bookworm' | head -n 1)
  lists=$folder/apt
  mkdir -p "$lists"/{lists/partial,cache/archives/partial}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$lists/sources.list"
  local apt=(apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State::status=/dev/null
             -o Dir::Etc::sourcelist="$lists/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$lists/lists"
             -o Dir::Cache="$lists/cache" -o APT::Sandbox::User=root)
  "${apt[@]}" update
  (cd "$lists" && "${apt[@]}" download "$@" && for package in *.deb; do dpkg-deb -x "$package" "$folder"; done)
}
