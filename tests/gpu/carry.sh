#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lays beforehand what a machine with a GPU lacks and cannot fetch: usage tests/gpu/carry.sh [FOLDER]
# (.carry, which git ignores). FOLDER/carry.tar.gz then holds unpacked Debian packages (LTTng,
# babeltrace2, every library of the build, with what they need), blst's source, and CUPTI with its
# headers and CUDA's static runtime where this machine has them. tests/gpu/run.sh unpacks it and uses all of it by path;
# nothing is installed there. Works for machines of this one's architecture.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=${1:-.carry}
size_max_mib=50
work=$(mktemp -d "${TMPDIR:-/tmp}/gaptrace-carry.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder" "$work/debs" "$work/carry"

# Those with a compiler are there, and would not go with its libraries.
have='build-essential|cmake|ninja-build|git|npm'
# What comes with any machine that compiles C, and what only the packages' own scripts need.
base='libc6.*|libc-.*|linux-libc-dev|libgcc.*|gcc-.*|libstdc\+\+.*|libcrypt.*|libnsl.*|libtirpc.*|rpcsvc-proto'
base+='|(lib)?perl.*|.*-perl|libgdbm.*|libdb5.*|dpkg|tar|sysvinit-utils|init-system-helpers|lsb-base|usrmerge|usr-is-merged'
base+='|debconf|debconf-2.0|cdebconf|media-types|python3.*|libpython3.*|postgresql-.*|ssl-cert|adduser|passwd'

# Every package that the build needs, with what it depends on.
list_packages() {
  local wanted=()
  mapfile -t wanted < <({ scripts/install-dependencies --list; echo libcmocka-dev; } | grep -Evx "$have")
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances "${wanted[@]}" | grep -E '^[a-z0-9]' | sort -u | grep -Evx "$base"
}

fetch_packages() {
  local packages=()
  mapfile -t packages < <(list_packages)
  echo "fetching ${#packages[@]} packages"
  if ! (cd "$work/debs" && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}" 2>"$work/apt.log"); then
    cat "$work/apt.log" >&2
    echo "carry.sh: apt-get cannot fetch the packages: run apt-get update, or see above" >&2
    exit 1
  fi
}

# One tree, with all libraries in one place; without what nothing reads there.
unpack_packages() {
  local root=$work/carry/root deb top link target
  mkdir -p "$root"
  for deb in "$work"/debs/*.deb; do
    dpkg-deb -x "$deb" "$root"
  done
  for top in lib bin sbin; do
    if [ -d "$root/$top" ]; then
      mkdir -p "$root/usr/$top"
      cp -a "$root/$top/." "$root/usr/$top/"
      rm -rf "${root:?}/$top"
    fi
  done
  rm -rf "$root"/usr/share/{doc,man,locale,lintian,bug,info,gtk-doc,bash-completion,glib-2.0} "${root:?}"/etc "${root:?}"/var \
    "$root"/usr/lib/{systemd,python3,tmpfiles.d,sysusers.d} "$root"/usr/share/{bison,aclocal,dns,mime} \
    "$root"/usr/bin/curl "$root"/usr/lib/*/gconv
  find "$root" -name '*.a' -delete
  # A library's development link may be absolute; there it has to lead to the tree's own.
  find "$root" -type l -lname '/*' | while read -r link; do
    target=$(readlink "$link")
    ln -sfr "$root/usr${target#/usr}" "$link"
  done
  (cd "$work/debs" && printf '%s\n' *.deb) >"$work/carry/packages"
}

take_blst() {
  if [ ! -x .deps/blst/build.sh ]; then
    scripts/install-dependencies
  fi
  mkdir -p "$work/carry/blst"
  cp -r .deps/blst/{LICENSE,bindings,build,build.sh,src} "$work/carry/blst/"
  rm -rf "$work"/carry/blst/bindings/{go,rust,python,node.js,c\#,java,emscripten,zig,swift,vectors}
}

# A toolkit may come without CUPTI. Only a machine with CUDA has it, so it is no dependency.
take_cuda() {
  local toolkit=${CUDA_PATH:-/usr/local/cuda} header=
  if [ -f "$toolkit/lib64/libcudart_static.a" ]; then
    mkdir -p "$work/carry/cudart"
    cp -L "$toolkit/lib64/libcudart_static.a" "$work/carry/cudart/"
  fi
  for header in "$toolkit"/include "$toolkit"/extras/CUPTI/include; do
    if [ -f "$header/cupti.h" ]; then
      mkdir -p "$work/carry/cupti/include" "$work/carry/cupti/lib"
      cp -L "$header"/cupti*.h "$header"/generated_*.h "$work/carry/cupti/include/"
      cp -L "$toolkit"/lib64/libcupti.so.[0-9]* "$work/carry/cupti/lib/" 2>/dev/null || true
      return
    fi
  done
  echo "no CUPTI here: that machine must have it"
}

fetch_packages
unpack_packages
take_blst
take_cuda
uname -m >"$work/carry/machine"
tar -C "$work" -czf "$work/carry.tar.gz" carry
mv "$work/carry.tar.gz" "$folder/carry.tar.gz"
size_mib=$(($(stat -c %s "$folder/carry.tar.gz") >> 20))
echo "$folder/carry.tar.gz: $size_mib MiB, $(du -sm "$work/carry" | cut -f1) MiB unpacked"
if [ "$size_mib" -gt "$size_max_mib" ]; then
  echo "carry.sh: more than $size_max_mib MiB: something in there is not needed" >&2
  exit 1
fi
