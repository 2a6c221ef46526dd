# ---- contracts -------------------------------------------------------------
put('vertraege/2024-03-12_contract_Harwick-Logistics.md', '''
# Framework contract for haulage

Between Nordlicht Pumps Ltd., 4 Quay Lane, Harwick, and Harwick Logistics Ltd.
Signed on 12 March 2024.

1. The carrier collects finished pumps twice a week, on Tuesdays and Fridays before noon.
2. The rate is 1.38 GBP per kilometre; the first 25 kilometres of every trip are free.
3. Damage in transit has to be notified within five working days of delivery.
4. Either side may end this agreement with ninety days' notice to the end of a quarter.
5. The carrier is insured up to 250,000 GBP for each shipment.

Signed: Eleanor Whitby (Nordlicht), Giles Farrow (Harwick Logistics)
''', '2024-03-12')
put('vertraege/2023-09-01_Mietvertrag_Halle-7.md', '''
# Mietvertrag über Gewerberäume, Halle 7

Vermieter: Hafenbetriebe Moorwerder eG. Mieterin: Nordlicht Pumpen GmbH, Moorwerder.

§ 1 Vermietet wird die Halle 7 am Ostkai mit 840 Quadratmetern Nutzfläche.
§ 2 Die monatliche Kaltmiete beträgt 5.460,00 Euro und ist bis zum dritten Werktag zu zahlen.
§ 3 Die Kaution in Höhe von drei Monatsmieten wird auf einem Sperrkonto hinterlegt.
§ 4 Das Mietverhältnis beginnt am 1. September 2023 und endet am 31. August 2028.
§ 5 Schönheitsreparaturen übernimmt die Mieterin alle sechs Jahre.
§ 6 Das Tor an der Nordseite darf nachts zwischen 22 und 6 Uhr nicht benutzt werden.
''', '2023-09-01')
put('vertraege/2022-06-15_Arbeitsvertrag_Petra-Vossberg.txt', '''
Arbeitsvertrag

zwischen der Nordlicht Pumpen GmbH und Frau Petra Vossberg, geschlossen am 15. Juni 2022.

Frau Vossberg wird als Leiterin der Buchhaltung eingestellt. Arbeitsbeginn ist der 1. August 2022.
Die Probezeit dauert sechs Monate; in dieser Zeit kann mit zwei Wochen Frist gekündigt werden.
Das Gehalt beträgt 4.350 Euro brutto im Monat, dazu kommt ein 13. Monatsgehalt im November.
Der Urlaubsanspruch beträgt 30 Arbeitstage im Kalenderjahr.
Nebentätigkeiten bedürfen der vorherigen schriftlichen Zustimmung der Geschäftsführung.
''', '2022-06-15')
put('vertraege/2024-07-01_contract_CleanWave-Services.html', html('Service contract CleanWave', '''
<p>Concluded on 1 July 2024 between Nordlicht Pumps Ltd. and CleanWave Services.</p>
<ul><li>Offices and kitchen are cleaned every Monday, Wednesday and Friday after 6 p.m.</li>
<li>The windows are washed four times a year, scaffolding included.</li>
<li>The flat fee is 615 GBP per month; detergents are supplied by the contractor.</li>
<li>Keys are kept in the lockbox beside the goods entrance and must never leave the site.</li></ul>''', 'en'), '2024-07-01')
put('vertraege/2021-11-30_Wartungsvertrag_Aufzug-Brandt.pdf', '''
Wartungsvertrag Lastenaufzug

Auftragnehmer: Brandt Aufzugtechnik KG. Anlage: Lastenaufzug Nr. LA-2207, Baujahr 2009, Tragkraft 1.600 kg.
Geschlossen am 30. November 2021.

Die Anlage wird jeden zweiten Monat geprüft und geschmiert.
Bei Störungen ist ein Monteur binnen vier Stunden vor Ort, auch an Sonn- und Feiertagen.
Die Pauschale beträgt 189,50 Euro je Wartung zuzüglich Umsatzsteuer.
Tragseile und Motoren sind von der Pauschale ausgenommen.
''', '2021-11-30')
put('vertraege/2025-01-20_nda_Tidemark-Instruments.md', '''
# Mutual non-disclosure agreement

Nordlicht Pumps Ltd. and Tidemark Instruments plc, dated 20 January 2025.

Both parties keep drawings, prices and customer lists of the other side confidential.
The duty of secrecy lasts for seven years after the last exchange of documents.
A breach costs the responsible party a penalty of 40,000 GBP for each case.
Information that was already public is not covered.
''', '2025-01-20')
put('vertraege/2023-04-17_Leasingvertrag_Gabelstapler.html', html('Leasingvertrag Gabelstapler', '''
<p>Leasinggeber: Flurwerk Leasing AG. Abgeschlossen am 17. April 2023.</p>
<p>Gegenstand sind zwei Elektrostapler vom Typ Hubfix E25, Fahrgestellnummern HF-88213 und HF-88214.</p>
<p>Die Leasingrate beträgt 412,00 Euro je Fahrzeug und Monat bei einer Laufzeit von 48 Monaten.</p>
<p>Nach Ablauf kann jedes Fahrzeug zum Restwert von 3.900 Euro übernommen werden.</p>
<p>Mehr als 1.200 Betriebsstunden im Jahr werden mit 2,10 Euro je Stunde nachberechnet.</p>''', 'de'), '2023-04-17')
put('vertraege/2020-02-03_contract_Website-hosting.pdf', '''
Hosting agreement, 3 February 2020

Provider: Pebblehost Cooperative. Customer: Nordlicht Pumps Ltd.
The provider runs the shop and the company website on a shared machine with 40 GB of disk space.
An availability of 99.7 per cent over the calendar year is promised.
Backups are taken each night and are kept for 21 days.
The yearly charge of 348 GBP is due in February.
''', '2020-02-03')
# ---- letters ---------------------------------------------------------------
put('briefe/2024-05-08_letter_complaint-Orwell-Farms.txt', '''
Orwell Farms, Lower Tidbury                                        8 May 2024

Dear Nordlicht team,

the bilge pump delivered on 29 April stopped after eleven hours of use.
The impeller had split along the hub, and our cowshed stood under water overnight.
We ask you to replace the unit free of charge before the end of the month
and to pay for the electrician who had to come out on a Sunday (164 pounds).

Yours sincerely, Martha Orwell
''', '2024-05-08')
put('briefe/2024-10-22_Brief_Kuendigung-Stromtarif.txt', '''
Nordlicht Pumpen GmbH, Ostkai 7, Moorwerder                      22. Oktober 2024

An die Stadtwerke Moorwerder, Kundenservice

Sehr geehrte Damen und Herren,

hiermit kündigen wir den Tarif "Gewerbe Fix 36" zum 31. Dezember 2024.
Unsere Zählernummer lautet 1 EMH 0047 5519 02, die Kundennummer 770-4418.
Grund ist die Erhöhung des Arbeitspreises auf 34,8 Cent je Kilowattstunde.
Bitte bestätigen Sie uns das Vertragsende schriftlich.

Mit freundlichen Grüßen, Jens Okonkwo, Einkauf
''', '2024-10-22')
put('briefe/2023-12-04_letter_bank-credit-line.md', '''
# Harwick Mutual Bank, 4 December 2023

Dear Ms Whitby,

we are glad to raise your overdraft facility from 60,000 to 95,000 GBP.
Interest on the drawn amount is 7.4 per cent a year, charged monthly.
As security we need a floating charge over your stock of finished pumps.
The offer lapses if we have not had your signature by 15 January 2024.

Kind regards, Rupert Sandys
''', '2023-12-04')
put('briefe/Brief_Finanzamt_2024-02-19.txt', '''
Finanzamt Moorwerder, Veranlagungsstelle                          19. Februar 2024

Steuernummer 62/118/40773

Sehr geehrte Frau Vossberg,

für die Umsatzsteuererklärung 2022 fehlen uns noch die Belege zu den Ausfuhren nach Norwegen.
Bitte reichen Sie diese bis zum 22. März 2024 ein. Andernfalls schätzen wir die Beträge.
Eine Betriebsprüfung für die Jahre 2020 bis 2022 ist für den Herbst vorgesehen.

Im Auftrag, Grothe
''', '2024-02-19')
put('briefe/2025-03-03_letter_reference-Tom-Askew.html', html('Reference for Tom Askew', '''
<p>Harwick, 3 March 2025</p>
<p>Tom Askew worked in our test bay from May 2019 until February 2025.</p>
<p>He rebuilt the pressure rig on his own and trained four apprentices.</p>
<p>He leaves us at his own wish to run his uncle's boatyard, and we would take him back at any time.</p>
<p>Eleanor Whitby, Managing Director</p>''', 'en'), '2025-03-03')
put('briefe/2022-08-29_Brief_Mahnung-Seegut.pdf', '''
Nordlicht Pumpen GmbH                                              29. August 2022

Zweite Mahnung an die Fischerei Seegut OHG

Unsere Rechnung RE-2022-0618 über 2.914,70 Euro ist seit dem 30. Juni überfällig.
Wir bitten um Überweisung bis spätestens 12. September 2022.
Danach geben wir die Forderung an unseren Anwalt ab; Verzugszinsen von neun Prozent kommen hinzu.
''', '2022-08-29')
put('briefe/2024-11-14_letter_insurance-water-damage.md', '''
# Claim after the flood in the basement archive

To: Beacon General Insurance, policy BG-55120-K. Date: 14 November 2024.

On the night of 9 November a pipe burst above the archive room.
About sixty ring binders with delivery notes from 2011 to 2014 were soaked and had to be thrown away.
The drying firm charged 1,870 GBP for dehumidifiers and fans over nine days.
Please send an assessor before we repaint the ceiling.
''', '2024-11-14')
# ---- minutes ---------------------------------------------------------------
put('protokolle/Protokoll 12.03.2024.txt', '''
Protokoll der Leitungsrunde vom 12.03.2024, 9:00 bis 10:40 Uhr
Anwesend: Whitby, Okonkwo, Vossberg, Hinrichs, Demir. Protokoll: Demir

1. Lager: Herr Hinrichs berichtet, dass das Hochregal an der Westwand bis Ostern gesperrt bleibt.
2. Einkauf: Gleitringdichtungen werden künftig bei Sandvoss bestellt, weil der alte Lieferant 19 Wochen braucht.
3. Messe: Der Stand auf der Hanse-Boot kostet 7.800 Euro; die Runde stimmt mit vier zu eins zu.
4. Verschiedenes: Die Kaffeemaschine im zweiten Stock wird nicht mehr repariert.
''', '2024-03-12')
put('protokolle/Protokoll 09.04.2024.txt', '''
Protokoll der Leitungsrunde vom 09.04.2024
Anwesend: Okonkwo, Vossberg, Hinrichs. Entschuldigt: Whitby, Demir

1. Das Hochregal ist nach der Prüfung durch den Sachverständigen wieder frei.
2. Die Auszubildende Lina Brook wechselt am 1. Mai vom Lager in die Konstruktion.
3. Beschluss: Der Firmenwagen MW-NP 214 wird verkauft, Mindestgebot 6.200 Euro.
''', '2024-04-09')
put('protokolle/Protokoll 14.05.2024.md', '''
# Leitungsrunde am 14. Mai 2024

- Reklamation Orwell Farms: Kulanz wird gewährt, Ersatzgerät geht am 16. Mai auf den Weg.
- Ursache war eine fehlerhafte Charge Laufräder vom Januar; 37 Stück werden zurückgerufen.
- Der Betriebsausflug führt am 6. Juli auf die Insel Trischendorf.
- Herr Demir kümmert sich um das neue Zeiterfassungssystem.
''', '2024-05-14')
put('protokolle/Protokoll 03.12.2024.txt', '''
Protokoll der Leitungsrunde vom 03.12.2024
Anwesend: alle

1. Jahresabschluss: Der Umsatz liegt bei 6,84 Millionen Euro, ein Plus von vier Prozent.
2. Zwischen Weihnachten und Neujahr bleibt der Betrieb geschlossen, der Notdienst liegt bei Hinrichs.
3. Strom: Ab Januar liefert die Nordwind Energie, der Vertrag mit den Stadtwerken ist beendet.
4. Für 2025 wird eine dritte Stelle in der Konstruktion ausgeschrieben.
''', '2024-12-03')
put('protokolle/minutes 2024-06-18 board.md', '''
# Board meeting, 18 June 2024

Present: Whitby (chair), Sandys (guest), Farrow, Lindqvist

* The board approved the purchase of a five-axis milling machine for 182,000 GBP.
* Dividend for 2023: three pounds and ten pence per share.
* Ms Lindqvist steps down as treasurer in September; Mr Patel will follow her.
* The Bristol sales office is to be shut by the end of the year.
''', '2024-06-18')
put('protokolle/minutes 2024-09-05 safety.txt', '''
Safety committee, minutes of 5 September 2024

Two near misses were reported in August, both at the overhead crane.
From now on nobody may walk below a hanging load, not even with a helmet.
The eyewash station by the plating bath was found empty and has been refilled.
Fire drill: the building was clear after three minutes and forty seconds.
Next meeting: 12 December.
''', '2024-09-05')
put('protokolle/minutes_2025-02-11_sales.html', html('Sales meeting 11 February 2025', '''
<p>Chair: Priya Patel</p>
<ol><li>Orders in January were 14 per cent below plan, mainly because of the Danish ferry yards.</li>
<li>The new brochure is printed in English, German and Dutch, 2,500 copies each.</li>
<li>Discounts above twelve per cent need the approval of the managing director.</li>
<li>Mr Lowell visits the customers in Galway and Cork in the second week of March.</li></ol>''', 'en'), '2025-02-11')
put('protokolle/Protokoll Betriebsversammlung 2023-10-19.txt', '''
Betriebsversammlung am 19. Oktober 2023 in Halle 7

Der Betriebsrat stellt die neue Schichtregelung vor: Frühschicht ab 5:45 Uhr, Spätschicht ab 13:45 Uhr.
Die Nachtschicht entfällt ab Januar ersatzlos.
Für Fahrgemeinschaften werden zwölf Parkplätze direkt am Tor reserviert.
Die Kantine erhöht den Preis für das Tagesgericht auf 5,90 Euro.
In den Betriebsrat nachgerückt ist Ayla Demir für den ausgeschiedenen Karl Matthiesen.
''', '2023-10-19')
# ---- invoices --------------------------------------------------------------
def rechnung(nr, day, kunde, pos):
    s = sum(a * c for a, _, c in pos); v = (s * 19 + 50) // 100
    return f'Nordlicht Pumpen GmbH, Ostkai 7, Moorwerder\n\nRechnung Nr. {nr} vom {day}\nKunde: {kunde}\n\n' + '\n'.join(f'{a} x {t} zu je {eur(c)} Euro' for a, t, c in pos) + f'\n\nSumme netto {eur(s)} Euro\nUmsatzsteuer 19 % {eur(v)} Euro\nRechnungsbetrag der Rechnung {nr}: {eur(s+v)} Euro\nZahlbar innerhalb von 14 Tagen ohne Abzug.\n'
put('rechnungen/Rechnung_2023-11-05.txt', rechnung('RE-2023-1187', '05.11.2023', 'Werft Gebrüder Tjarks, Ostersiel', [(4, 'Bilgepumpe BP-40, 24 Volt', 31850), (12, 'Saugschlauch DN 32, je Meter', 1140), (1, 'Montage vor Ort, Pauschale', 45000)]), '2023-11-05')
put('rechnungen/Rechnung_2024-01-18.pdf', rechnung('RE-2024-0031', '18.01.2024', 'Campingplatz Dünenblick, Inh. H. Reemtsma', [(1, 'Schmutzwasserpumpe SW-110 mit Schwimmer', 87900), (2, 'Rückschlagklappe 2 Zoll', 5475)]), '2024-01-18')
put('rechnungen/Rechnung_2024-04-30.html', html('Rechnung RE-2024-0402', '<pre>\n' + rechnung('RE-2024-0402', '30.04.2024', 'Gemeinde Klein Warfen, Bauhof', [(2, 'Feuerlöschpumpe FP-300, Benzinmotor', 249000), (6, 'Kupplung Storz C', 2860)]) + '</pre>', 'de'), '2024-04-30')
put('rechnungen/invoice_2024-08-09.pdf', '''
Nordlicht Pumps Ltd., 4 Quay Lane, Harwick

INVOICE NP-24-5573                                        9 August 2024
Bill to: Saltmarsh Oyster Company

3 circulation pumps CP-15, stainless steel, at 412.00 GBP
1 control box with dry-run protection at 238.50 GBP
Carriage paid
Total of invoice NP-24-5573 including VAT: 1,769.40 GBP
Payment within 30 days, please quote purchase order SO-9921.
''', '2024-08-09')
put('rechnungen/invoice_2025-01-31.html', html('Invoice NP-25-0118', '''
<p>31 January 2025, billed to Lighthouse Trust Northern Isles</p>
<p>Overhaul of the fog signal compressor on site, five days of two fitters.</p>
<p>Helicopter transfer charged at cost: 2,346.00 GBP for both ways.</p>
<p>Total of invoice NP-25-0118: 9,731.25 GBP, payable by 2 March 2025.</p>''', 'en'), '2025-01-31')
CUST = ['Werft Tjarks', 'Fischerei Seegut', 'Orwell Farms', 'Saltmarsh Oyster Co.', 'Campingplatz Dünenblick', 'Gemeinde Klein Warfen', 'Lighthouse Trust', 'Marina Ostersiel', 'Kelp & Sons', 'Brauerei Wattkieker', 'Molkerei Hohn', 'Pier 9 Aquarium', 'Gärtnerei Lauenstein', 'Tidemark Instruments', 'Ferry Lines Galway', 'Freibad Nordmoor', 'Reederei Callsen', 'Cider Mill Appledore', 'Stadtgüter Moorwerder', 'Bootsverleih Pahl']
r = R(2024)
rows = [['Invoice', 'Date', 'Customer', 'Amount GBP', 'Paid', 'Clerk']]
for i in range(130):
    x = [f'NP-24-{5400+i*3+r.n(3)}', r.date(2024).isoformat(), r.pick(CUST), f'{200+r.n(9000)}.{r.n(100):02d}', r.pick(['yes', 'yes', 'yes', 'open', 'reminder sent']), r.pick(['Ashdown', 'Birch', 'Lowell', 'Patel'])]
    if x[0] == 'NP-24-5573': x[1:4] = ['2024-08-09', 'Saltmarsh Oyster Co.', '1769.40']   # stands as a letter of its own, too
    rows.append(x)
put('rechnungen/invoice-list_2024.csv', csv(rows), '2024-12-31')
r = R(2023)
rows = [['Rechnungsnummer', 'Datum', 'Kunde', 'Betrag Euro', 'Status', 'Konto']]
for i in range(90): rows.append([f'RE-2023-{1000+i*2+r.n(2)}', r.date(2023).strftime('%d.%m.%Y'), r.pick(CUST), eur(20000 + r.n(900000)), r.pick(['bezahlt', 'bezahlt', 'offen', 'gemahnt', 'storniert']), 8400 + r.n(40)])
put('rechnungen/Rechnungsbuch_2023.csv', csv(rows), '2023-12-31')
# ---- prices and stock -------------------------------------------------------
TEILE = ['Sechskantschraube', 'Wellendichtring', 'Gleitringdichtung', 'Laufrad', 'Kugellager', 'Flachdichtung', 'Schlauchtülle', 'Kugelhahn', 'Druckschalter', 'Schwimmerschalter', 'Motorkondensator', 'Pumpengehäuse', 'Kabelverschraubung', 'Saugkorb', 'Rückschlagventil']
MAT = ['Edelstahl', 'Messing', 'NBR', 'Viton', 'Grauguss', 'Bronze', 'PVC', 'verzinkt']
r = R(77)
rows = [['Artikelnummer', 'Bezeichnung', 'Werkstoff', 'Maß', 'Preis Euro', 'Rabattgruppe']]
for i in range(160): rows.append([f'40-{2000+i*7+r.n(7)}', r.pick(TEILE), r.pick(MAT), f'{5+r.n(90)} mm', eur(80 + r.n(24000)), r.pick('ABCD')])
put('preise/Preisliste_2024.csv', csv(rows), '2024-01-02')
PART = ['hex bolt', 'shaft seal', 'mechanical seal', 'impeller', 'ball bearing', 'flat gasket', 'hose tail', 'ball valve', 'pressure switch', 'float switch', 'motor capacitor', 'pump housing', 'cable gland', 'suction strainer', 'check valve']
PM = ['stainless steel', 'brass', 'nitrile', 'fluoroelastomer', 'cast iron', 'bronze', 'PVC', 'galvanised']
r = R(78)
rows = [['Part number', 'Description', 'Price GBP', 'Delivery']]
for i in range(130): rows.append([f'K{3100+i*4+r.n(4)}', f'{r.pick(PM)} {r.pick(PART)} {5+r.n(90)} mm, pack of {1+r.n(50)}', f'{1+r.n(300)}.{r.n(100):02d}', f'{1+r.n(14)} weeks'])
put('preise/price-list_2025.html', html('Price list 2025', table(rows), 'en'), '2025-01-02')
r = R(79)
rows = [['part', 'name', 'shelf', 'in stock', 'reorder at', 'supplier']]
SUP = ['Sandvoss', 'Keller & Fink', 'Ostrava Metals', 'Brightwater', 'Polyform', 'Harwick Castings']
for i in range(220): rows.append([f'SP-{10000+i*11+r.n(11)}', r.pick(PM) + ' ' + r.pick(PART), f'{r.pick("ABCDEFGH")}-{1+r.n(30):02d}-{1+r.n(6)}', r.n(400), 5 + r.n(60), r.pick(SUP)])
put('preise/spare-parts_stock.csv', csv(rows, ','), '2025-02-28')
# ---- staff -----------------------------------------------------------------
FIRST = 'Anna Bruno Clara Derya Emil Fiona Gustav Hanna Ivo Jette Karim Lotte Marek Nele Oskar Paula Quentin Rosa Sven Tilda Ulf Vera Wanda Xaver Yara Zeno Alma Boris Carla Dario Elsa Femke Georg Hilde Irma Jonas Kaya Lars Mona Nils Olga Piet Rieke Silke Theo Uma Viktor Wiebke Yusuf Zora'.split()
LAST = 'Abendroth Biermann Cordes Drewes Eggers Fehling Gravert Hansen Iwersen Jessen Kröger Lorenzen Momsen Nissen Oldsen Petersen Quast Rickmers Sönnichsen Thomsen Ulrich Volquardsen Wulff Yilmaz Ziegler Ahlers Boysen Carstens Detlefsen Ewald Feddersen Greve Harms Ingwersen Johannsen Kühl Ludwig Matthiesen Nommensen Ohlsen Paulsen Reimers Struve Tiedemann Unger Voss Witt Bohn Clasen Dircks'.split()
DEP = ['Lager', 'Konstruktion', 'Buchhaltung', 'Vertrieb', 'Montage', 'Prüffeld', 'Einkauf', 'Versand', 'EDV']
r = R(80)
rows = [['Personalnummer', 'Name', 'Abteilung', 'Durchwahl', 'Eintritt', 'Raum']]
for i in range(50): rows.append([f'P{700+i}', f'{FIRST[i]} {LAST[(i*7+3)%50]}', r.pick(DEP), 200 + i * 3 + r.n(3), r.date(2000 + r.n(25)).strftime('%d.%m.%Y'), f'{1+r.n(3)}.{10+r.n(30)}'])
put('personal/Mitarbeiterliste_2025.csv', csv(rows), '2025-01-07')
EF = 'Aaron Beatrice Cedric Dorothy Edwin Felicity Graham Harriet Isaac Judith Kenneth Lavinia Malcolm Nora Oliver Prudence Quincy Rosalind Stanley Tabitha Ursula Vernon Winifred Alistair Bridget Conrad Daphne Ernest Freya Godfrey Hazel Ingrid Jasper Kitty Leonard Millicent Norman Ottoline Percy Ruth'.split()
EL = 'Ashdown Birch Copley Denholm Eastwick Fairburn Gadsby Hollis Inchbald Jarrow Kettering Lowell Marsh Netherby Oakden Penrose Quill Rigby Stubbs Thorne Upshaw Varley Whitlock Yardley Amory Bellweather Crossley Dunmore Elphick Foss Garside Hexham Ibbotson Kershaw Langdale Mossop Nuttall Ormond Plumley Rudge'.split()
r = R(81)
rows = [['Name', 'Role', 'Extension', 'Site', 'Since', 'Emergency duty']]
ROLE = ['fitter', 'test engineer', 'sales clerk', 'storekeeper', 'draughtsman', 'welder', 'apprentice', 'payroll clerk', 'driver', 'buyer']
for i in range(40): rows.append([f'{EF[i]} {EL[(i*11+5)%40]}', r.pick(ROLE) + ', reports to ' + r.pick(['Eleanor Whitby', 'Priya Patel', 'Giles Farrow', 'Sven Hinrichs']), 400 + i * 2 + r.n(2), r.pick(['Harwick', 'Bristol', 'Galway']), r.date(2001 + r.n(23)).isoformat(), r.pick(['none', 'week A', 'week B', 'first aider', 'fire warden'])])
put('personal/staff-table_2024.html', html('Staff table 2024', table(rows), 'en'), '2024-09-30')
r = R(82)
rows = [['Name', 'von', 'bis', 'Tage', 'Vertretung', 'genehmigt']]
for i in range(0, 50): 
    d = r.date(2024); k = 2 + r.n(18); rows.append([f'{FIRST[i]} {LAST[(i*7+3)%50]}', d.strftime('%d.%m.%Y'), (d + datetime.timedelta(days=k)).strftime('%d.%m.%Y'), k + 1, f'{FIRST[(i+13)%50]} {LAST[((i+13)*7+3)%50]}', r.pick(['ja', 'ja', 'ja', 'nein', 'offen'])])
put('personal/Urlaubsplan_2024.csv', csv(rows), '2024-01-15')
put('personal/holiday-rules.md', '''
# Holiday rules

Every member of staff has 26 days of paid leave a year, apprentices have 28.
Requests have to reach the line manager six weeks ahead.
Up to five unused days may be taken over into the following year, until the end of March.
Whoever falls ill while away gets the days credited on showing a doctor's note.
Shop floor staff take two weeks in August, when the works are shut.
''', '2023-01-10')
put('personal/Reisekostenordnung_2023.md', '''
# Reisekostenordnung, gültig ab 1. Februar 2023

Für Fahrten mit dem eigenen Wagen erstatten wir 0,35 Euro je gefahrenem Kilometer.
Bahnfahrten ab 300 Kilometern dürfen in der ersten Klasse gebucht werden.
Übernachtungen werden bis 115 Euro je Nacht ohne Rückfrage bezahlt.
Die Abrechnung muss spätestens vier Wochen nach der Rückkehr in der Buchhaltung sein.
Trinkgelder und Minibar zahlt jeder selbst.
''', '2023-02-01')
put('personal/onboarding-checklist.txt', '''
Checklist for the first day of a new colleague

[ ] badge and locker key from the porter, deposit 20 pounds
[ ] safety shoes and ear protection from the stores
[ ] network login from Ayla Demir, first password is sent by text message
[ ] walk through the works with the mentor
[ ] hand in bank details and tax code at payroll before 3 p.m.
[ ] lunch voucher for the first week
''', '2024-02-05')
# ---- IT and others ---------------------------------------------------------
rows = [['port', 'protocol', 'service', 'host', 'open to', 'remark']]
SV = [(22, 'tcp', 'ssh', 'deich', 'admin net'), (25, 'tcp', 'smtp', 'moewe', 'internet'), (53, 'udp', 'dns', 'deich', 'office'), (143, 'tcp', 'imap', 'moewe', 'office'), (443, 'tcp', 'shop', 'robbe', 'internet'), (631, 'tcp', 'printing', 'krabbe', 'office'), (1194, 'udp', 'vpn', 'deich', 'internet'), (3389, 'tcp', 'remote desktop', 'qualle', 'vpn only'), (5432, 'tcp', 'stock database', 'robbe', 'office'), (5900, 'tcp', 'crane camera', 'auster', 'works'), (6514, 'tcp', 'central log', 'deich', 'servers'), (7433, 'tcp', 'time clock terminals', 'krabbe', 'works'), (8086, 'tcp', 'test rig readings', 'auster', 'works'), (8443, 'tcp', 'door access panel', 'qualle', 'porter'), (9102, 'tcp', 'backup agent', 'wal', 'servers'), (10050, 'tcp', 'monitoring', 'deich', 'servers'), (27015, 'udp', 'weather station', 'auster', 'works'), (47808, 'udp', 'heating control', 'qualle', 'works')]
for i, (a, b, c, d, e) in enumerate(SV): rows.append([a, b, c, d, e, f'checked 2024-{1+i%12:02d}-{3+i:02d}'])
put('edv/network-ports.csv', csv(rows), '2024-12-20')
put('edv/IT-Notfallplan.md', '''
# Notfallplan EDV (Stand 11.2024)

1. Bei Verdacht auf Schadsoftware sofort das Netzkabel ziehen und den Rechner eingeschaltet lassen.
2. Anruf bei Ayla Demir, Durchwahl 388, außerhalb der Zeiten bei der Firma Kappeln-Net.
3. Die Sicherungsbänder liegen im Tresor der Filiale am Markt und werden freitags getauscht.
4. Das Wiederanlaufen der Warenwirtschaft darf höchstens acht Stunden dauern.
5. Das Notstromaggregat hält die Serverraumkühlung für 95 Minuten in Betrieb.
6. Eine Meldung an die Aufsichtsbehörde muss binnen 72 Stunden erfolgen.
''', '2024-11-04')
r = R(83)
rows = [['Host', 'Purpose and location', 'Memory', 'System', 'Warranty until']]
for h, p in [('deich', 'firewall and name server, rack 1'), ('moewe', 'mail server, rack 1'), ('robbe', 'shop and stock database, rack 2'), ('krabbe', 'print and time clock server, porter lodge'), ('qualle', 'building control, boiler room'), ('auster', 'measurement computer, test bay'), ('wal', 'tape backup, cellar of hall 7'), ('scholle', 'drawing archive, design office'), ('hering', 'spare machine, storage cage'), ('dorsch', 'video conference room, first floor'), ('seestern', 'training laptop trolley, canteen'), ('tang', 'old payroll system, switched off')]:
    rows.append([h, p, f'{r.pick([8,16,32,64,128])} GB', r.pick(['Debian 12.8', 'Debian 11.11', 'Windows Server 2019', 'FreeBSD 14.1']), f'{2025+r.n(4)}-{1+r.n(12):02d}'])
put('edv/server-inventory_2024-12.html', html('Server inventory December 2024', table(rows), 'en'), '2024-12-13')
put('edv/Telefonliste.txt', '''
Wichtige Rufnummern

Pforte ............................ 100
Betriebsarzt Dr. Ohm .............. 04799 / 55 18 20
Hausmeister Uwe Stoltenberg ....... 0171 / 900 44 17
Schlüsseldienst Riegel & Sohn ..... 04799 / 60 07
Störung Gas und Wasser ............ 04799 / 112 90
Giftnotruf ........................ 0551 / 19 240
Taxi Moorwerder ................... 04799 / 22 22
''', '2024-06-03')
r = R(84)
rows = [['date', 'visitor', 'company', 'host', 'in', 'out', 'badge']]
for i in range(90): 
    h = 7 + r.n(8); rows.append([f'2024-10-{1+i//3:02d}', f'{EF[(i*3+r.n(3))%40]} {EL[r.n(40)]}', r.pick(CUST + SUP), r.pick(['Whitby', 'Okonkwo', 'Patel', 'Hinrichs', 'Demir']), f'{h:02d}:{r.n(60):02d}', f'{h+1+r.n(3):02d}:{r.n(60):02d}', f'V{100+i}'])
put('sonstiges/visitor-log_2024-10.csv', csv(rows, ','), '2024-10-31')
rows = [['plate', 'vehicle', 'driver', 'mileage', 'next inspection', 'fuel card']]
r = R(85)
for i, v in enumerate(['panel van Tulip 3', 'estate car Merle', 'crane lorry Atlas 12t', 'pickup Bravo', 'minibus Otter', 'electric van Lume', 'trailer Kombi 750', 'estate car Merle', 'panel van Tulip 2', 'forklift carrier Dolly', 'hatchback Pico', 'pickup Bravo 4x4', 'tank lorry Nessie', 'motorcycle Wasp']): rows.append([f'MW-NP {202+i*13}', v, f'{FIRST[i*3]} {LAST[(i*3*7+3)%50]}', 8000 + r.n(190000), f'{2025+r.n(2)}-{1+r.n(12):02d}', f'FC-{7000+r.n(3000)}'])
put('sonstiges/vehicle-fleet.csv', csv(rows), '2025-01-15')
put('sonstiges/Qualitaetsbericht_Q3-2024.md', '''
# Qualitätsbericht drittes Quartal 2024

Geprüft wurden 1.964 Pumpen, beanstandet 23, das sind 1,2 Prozent.
Häufigster Mangel waren undichte Gehäuse nach dem Lackieren.
Der neue Prüfstand misst die Fördermenge jetzt auf einen halben Liter genau.

| Baureihe | geprüft | Mangel | Hauptursache |
|---|---|---|---|
| BP-40 | 611 | 4 | Kabelbruch am Stecker |
| CP-15 | 402 | 2 | Lagergeräusch |
| SW-110 | 388 | 11 | Gehäuse undicht nach Lackierung |
| FP-300 | 97 | 1 | Vergaser verharzt |
| DP-8 | 466 | 5 | Membran falsch eingelegt |
''', '2024-10-11')
