"""Rows of the warehouse of docs/your-warehouse.md: `python -m tests.adoption.own_warehouse ADDRESS`.

Five documents of two patients, one of them of no patient; ADDRESS is that of a database that has the page's tables.
"""

from __future__ import annotations

import sys

import psycopg2

LETTER = """Service de cardiologie

Madame {first} {name}, née le {born}, demeurant {street} à {town}, a été hospitalisée du 25/02/2026 au 02/03/2026 pour
une douleur thoracique. Elle est suivie par le Dr Yann TREGUIER. L'examen retrouve une tension artérielle à 14/8 et un
rythme régulier. Elle sort avec du bisoprolol 2,5 mg et sera revue dans un mois. Tél. {phone}.
"""
PEOPLE = [
    ("VASSEROT", "Maëlys", "14/05/1961", "12 rue des Lilas", "Dijon", "03 80 11 22 33"),
    ("BROUSTÉ", "Célestine", "02/11/1948", "4 place du Marché", "Besançon", "06 12 34 56 78"),
]


def fill(address: str) -> None:
    """Write the rows, and let the role `lecteur` read them."""
    link = psycopg2.connect(address)
    with link, link.cursor() as cursor:
        cursor.execute("GRANT USAGE ON SCHEMA dpi TO lecteur")
        cursor.execute("GRANT SELECT ON ALL TABLES IN SCHEMA dpi TO lecteur")
        cursor.execute("INSERT INTO dpi.personnel VALUES (7, '10001234567', 'TREGUIER', 'Yann', 'médecin')")
        cursor.execute("INSERT INTO dpi.venue VALUES (31, 'CARD', '2026-02-25 09:00', '2026-03-02 11:00')")
        for number in range(5):
            last, first, born, street, town, phone = PEOPLE[number % 2]
            day, month, year = born.split("/")
            letter = LETTER.format(first=first, name=last, born=born, street=street, town=town, phone=phone)
            patient = number % 2 if number < 4 else None
            cursor.execute(
                "INSERT INTO dpi.compte_rendu VALUES (%s, %s, 31, 'CRH', 'Compte rendu', %s, '2026-03-02',"
                " '2026-03-02 04:00', FALSE, NULL, %s, %s, 'F', %s, %s, '21000', %s, %s)",
                (number + 1, patient, letter, last, first, f"{year}-{month}-{day}", street, town, phone),
            )
    link.close()


if __name__ == "__main__":
    fill(sys.argv[1])
