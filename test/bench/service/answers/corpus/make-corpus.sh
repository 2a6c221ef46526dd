#!/bin/bash
# make-corpus.sh DIR  – makes DIR/corpus (the project) and DIR/foreign/{git,postgres,noten} (three other projects).
# Needs: apt-get (with fetched package lists), dpkg-deb, python3, gzip. No root. CACHE=dir keeps the .deb files.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
HERE=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
mkdir -p "$1"; DIR=$(cd "$1" && pwd)
[ -e "$DIR/corpus" ] || [ -e "$DIR/foreign" ] && { echo "$DIR/corpus or $DIR/foreign is there already" >&2; exit 1; }
CACHE=${CACHE:-$HERE/cache}; mkdir -p "$CACHE" 2>/dev/null || CACHE=$(mktemp -d)
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT

get() {   # get PACKAGE VERSION -> $W/PACKAGE ; falls back to the archive's present version with a warning
  local p=$1 v=$2 f
  f=$(ls "$CACHE/${p}_${v/:/%3a}_"*.deb 2>/dev/null | head -1 || true)
  if [ -z "$f" ]; then
    (cd "$CACHE" && { apt-get -qq download "$p=$v" || { echo "WARNING: $p=$v not found, taking the present version; check MANIFEST" >&2; apt-get -qq download "$p"; }; })
    f=$(ls -t "$CACHE/${p}_"*.deb | head -1)
  fi
  mkdir -p "$W/$p"; dpkg-deb -x "$f" "$W/$p"
}
# put SRC-DIR DEST-DIR PREFIX SUFFIX FILE... : copies with a distinct name, unpacks .gz, keeps the package's time
put() {
  local s=$1 d=$2 pre=$3 suf=$4 f b; shift 4; mkdir -p "$d"
  for f in "$@"; do
    b=${f##*/}; b=${b%.gz}; b=${b/.en./.}; b=${b/.de./.}; b=$pre${b%.*}$suf.${b##*.}
    if [ "${f%.gz}" != "$f" ]; then gzip -dc "$s/$f" >"$d/$b"; touch -r "$s/$f" "$d/$b"; else cp -p "$s/$f" "$d/$b"; fi
    chmod 644 "$d/$b"
  done
}
html() { (cd "$1" && ls *.html | grep -vE '^(index|genindex|search|changelog_history)(\.[a-z]+)?\.html$|\.(fr|ja|ru|zh-cn|zh-tw)\.html$'); }
# A of every B html files, evenly spread, until 80
some() { (cd "$1" && find . -maxdepth 1 -name "$2" -size +5k -size -200k -printf '%f\n' | sort | awk -v a="$3" -v b="$4" '(NR*a)%b<a' | head -80); }

get debian-faq 11.1
get debian-policy 4.6.2.0
get debian-reference-en 2.100
get debian-reference-de 2.100
get developers-reference 12.18
get developers-reference-de 12.18
get debmake-doc 1.17-7
get maint-guide-de 1.2.53
get harden-doc 3.19+nmu1
get installation-guide-amd64 20230508+deb12u1
get debian-handbook 11.20220922
get debian-edu-doc-de '2.12.23~deb12u1'
get doc-debian 11.3+nmu1
get git-doc '1:2.39.5-0+deb12u3'
get postgresql-doc-15 '15.18-0+deb12u1'
get lilypond-doc-html-de 2.24.1-2

C=$DIR/corpus; U=usr/share/doc
s=$W/debian-faq/$U/debian/FAQ;                          put "$s" "$C/docs/faq" faq- "" $(html "$s")
s=$W/debian-policy/$U/debian-policy/policy.html;        put "$s" "$C/docs/policy" policy- "" $(html "$s")
s=$W/debian-policy/$U/debian-policy;                    put "$s" "$C/docs/policy" "" "" fhs/fhs-3.0.pdf.gz perl-policy.txt.gz menu-policy.txt.gz copyright-format-1.0.txt.gz autopkgtest.txt.gz debconf_specification.txt.gz
s=$W/debian-reference-en/usr/share/debian-reference;    put "$s" "$C/docs/reference" reference- -en $(html "$s")
s=$W/debian-reference-de/usr/share/debian-reference;    put "$s" "$C/docs/referenz" referenz- -de $(html "$s")
s=$W/developers-reference/usr/share/developers-reference; put "$s" "$C/docs/devref" "" -en developers-reference.pdf
s=$W/developers-reference-de/usr/share/developers-reference/de; put "$s" "$C/docs/devref" devref- -de $(html "$s" | grep -v '^developers-reference')
s=$W/debmake-doc/$U/debmake-doc;                        put "$s" "$C/docs/debmake" "" -en debmake-doc.en.epub
s=$W/maint-guide-de/$U/maint-guide-de/html;             put "$s" "$C/docs/maint-guide" maintguide- -de $(html "$s")
s=$W/harden-doc/$U/harden-doc/html/en-US;               put "$s" "$C/docs/securing" securing- "" $(html "$s")
s=$W/installation-guide-amd64/$U/installation-guide-amd64/de; put "$s" "$C/docs/installation" installation- -de $(html "$s")
s=$W/debian-handbook/$U/debian-handbook/html/en-US;     put "$s" "$C/docs/handbook" handbook- "" $(html "$s")
s=$W/debian-edu-doc-de/$U/debian-edu-doc-de;            put "$s" "$C/docs/edu" "" -de debian-edu-bookworm-manual.epub
s=$W/doc-debian/$U/debian;                              put "$s" "$C/docs/project" "" "" $(cd "$s" && ls *.txt *.txt.gz | grep -vE '(constitution|social-contract)\.[0-9]')
nice python3 "$HERE/make-company.py" "$C/firma"

F=$DIR/foreign
s=$W/git-doc/$U/git-doc;                                put "$s" "$F/git" "" "" $(some "$s" 'git*.html' 1 2)
s=$W/postgresql-doc-15/$U/postgresql-doc-15/html;       put "$s" "$F/postgres" pg- "" $(some "$s" '*.html' 1 8)
s=$(dirname "$(find "$W/lilypond-doc-html-de" -path '*notation*' -name '*.de.html' | sort | head -1)"); put "$s" "$F/noten" noten- "" $(some "$s" '*.de.html' 5 8)

(cd "$DIR" && find corpus foreign -type f | sort | tr '\n' '\0' | xargs -0 sha256sum) >"$DIR/MANIFEST"
d=$(cd "$C" && find . -type f -printf '%f\n' | sort | uniq -d); [ -z "$d" ] || { echo "same file name twice: $d" >&2; exit 1; }
echo "corpus: $(find "$C" -type f | wc -l) files, of these firma: $(find "$C/firma" -type f | wc -l); foreign: $(for k in git postgres noten; do echo -n "$k $(ls "$F/$k" | wc -l) "; done)"
if [ -e "$HERE/MANIFEST" ]; then cmp -s "$HERE/MANIFEST" "$DIR/MANIFEST" && echo "same as the MANIFEST" || { echo "WARNING: differs from $HERE/MANIFEST:" >&2; diff "$HERE/MANIFEST" "$DIR/MANIFEST" | head -20 >&2; }; fi
