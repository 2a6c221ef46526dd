#!/bin/sh
# Makes the documents of this folder anew, from text of our own. Needs pandoc and LibreOffice (Debian: pandoc, libreoffice-writer,
# libreoffice-calc, libreoffice-impress). In the middle of each stands a sentence that stands in no other: its KIND is part of it.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

office() { # OUTPUT-FILTER INPUT
  soffice "-env:UserInstallation=file://$work/profile" --headless --convert-to "$1" --outdir "$work/out" "$2" >/dev/null
}

prose() { # KIND
  printf '%% The harbour book\n\n'
  for day in $(seq 1 40); do
    [ $((day % 8)) -eq 1 ] && printf '# Week %s\n\n' $((day / 8 + 1))
    printf 'On day %s the tide table was read aloud, the ropes were counted and *nobody* had anything to add. Größe, façade, 世界.\n\n' "$day"
    [ "$day" -eq 20 ] && printf 'The lamp of the %s pier is trimmed by Yrsa Holm at a quarter past four.\n\n' "$1"
    [ "$day" -eq 22 ] && printf '| Berth | Ship |\n|---|---|\n| seven | Kittiwake |\n| eight | Fulmar |\n\n'
  done
  return 0
}

slides() { # KIND
  for day in $(seq 1 9); do
    printf '# Day %s\n\nThe ropes were counted.\n\n' "$day"
    [ "$day" -eq 5 ] && printf 'The lamp of the %s pier is trimmed by Yrsa Holm at a quarter past four.\n\n' "$1"
  done
  return 0
}

table() { # KIND
  printf 'day,berth,remark\n'
  for day in $(seq 1 60); do
    remark="the ropes were counted"
    [ "$day" -eq 30 ] && remark="The lamp of the $1 pier is trimmed by Yrsa Holm at a quarter past four."
    printf '%s,%s.5,%s\n' "$day" "$day" "$remark"
  done
}

for kind in docx odt rtf epub html; do
  prose "$kind" | pandoc --standalone --from markdown --to "$kind" --output "harbour.$kind"
done
prose md >harbour.md
prose txt | pandoc --from markdown --to plain --output harbour.txt
prose windows-1252 | grep -v '^#' | sed 's/, 世界//' | iconv -f utf-8 -t windows-1252 >windows-1252.txt
for kind in xlsx ods; do
  table "$kind" >"$work/harbour.csv"
  office "$kind" "$work/harbour.csv"
  mv "$work/out/harbour.$kind" .
done
table csv >harbour.csv
printf '{"days": [%s]}\n' "$(seq 1 20 | sed 's/.*/{"day": &, "remark": "the ropes were counted"},/') {\"remark\": \"The lamp of the json pier is trimmed by Yrsa Holm at a quarter past four.\"}, $(seq -s , 21 40)" >harbour.json
slides pptx | pandoc --from markdown --to pptx --output harbour.pptx
slides odp | pandoc --from markdown --to pptx --output "$work/harbour.pptx"
office odp "$work/harbour.pptx"
mv "$work/out/harbour.odp" .
prose pdf | pandoc --from markdown --to odt --output "$work/harbour.odt"
office pdf "$work/harbour.odt"
mv "$work/out/harbour.pdf" .
office 'pdf:writer_pdf_Export:{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"secret"}}' "$work/harbour.odt"
mv "$work/out/harbour.pdf" encrypted.pdf
# As written by an office program rather than by pandoc.
for kind in docx rtf; do
  prose "office-$kind" | pandoc --from markdown --to odt --output "$work/office.odt"
  office "$kind" "$work/office.odt"
  mv "$work/out/office.$kind" .
done
