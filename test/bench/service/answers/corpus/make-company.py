#!/usr/bin/env python3
"""Writes the office files of an imaginary company. Deterministic: own generator, fixed seed, fixed mtimes."""
import os, sys, re, datetime, textwrap
OUT = sys.argv[1]
class R:                                   # small LCG, the same under every Python
    def __init__(s, seed): s.x = seed
    def n(s, k): s.x = (s.x * 6364136223846793005 + 1442695040888963407) % 2**64; return (s.x >> 33) % k
    def pick(s, l): return l[s.n(len(l))]
    def date(s, year): return datetime.date(year, 1, 1) + datetime.timedelta(days=s.n(365))
def pdf(text):                             # one page, Helvetica, WinAnsi
    e = lambda l: l.encode('cp1252').replace(b'\\', b'\\\\').replace(b'(', b'\\(').replace(b')', b'\\)')
    lines = [w for l in text.strip('\n').split('\n') for w in (textwrap.wrap(re.sub(' {3,}', '   ', l), 88) or [''])]
    c = b'BT /F1 10 Tf 14 TL 60 780 Td\n' + b'\n'.join(b'(' + e(l) + b') Tj T*' for l in lines) + b'\nET'
    objs = [b'<< /Type /Catalog /Pages 2 0 R >>', b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
            b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>',
            b'<< /Length %d >>\nstream\n%s\nendstream' % (len(c), c),
            b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>']
    out, at = b'%PDF-1.4\n', []
    for i, o in enumerate(objs): at.append(len(out)); out += b'%d 0 obj\n%s\nendobj\n' % (i + 1, o)
    x = len(out); out += b'xref\n0 6\n0000000000 65535 f \n' + b''.join(b'%010d 00000 n \n' % a for a in at)
    return out + b'trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n' % x
def put(path, text, day):
    p = os.path.join(OUT, path); os.makedirs(os.path.dirname(p), exist_ok=True)
    with open(p, 'wb') as f: f.write(pdf(text) if p.endswith('.pdf') else (text.strip('\n') + '\n').encode())
    t = datetime.datetime.fromisoformat(day + 'T10:00:00+00:00').timestamp(); os.utime(p, (t, t))
def html(title, body, lang): return f'<!DOCTYPE html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n{body}\n</body></html>'
def table(rows): 
    o = ['<table>']
    for i, r in enumerate(rows):
        c = 'th' if i == 0 else 'td'; o.append('<tr>\n' + '\n'.join(f'  <{c}>{x}</{c}>' for x in r) + '\n</tr>')
    return '\n'.join(o + ['</table>'])
def csv(rows, sep=';'): return '\n'.join(sep.join(str(x) for x in r) for r in rows)
def eur(c): return f'{c//100:,}'.replace(',', '.') + f',{c%100:02d}'
def gbp(c): return f'{c//100:,}.{c%100:02d}'
exec(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'company-texts.py'), encoding='utf-8').read())
