# Trae las órdenes que cambiaron desde la última vez. Python 3.9 o más reciente.
import json
import os
import pathlib
import random
import time
import urllib.error
import urllib.parse
import urllib.request

TIANGUIS = "https://tianguis.example"
CLAVE = os.environ["TIANGUIS_KEY"]
MARCA = pathlib.Path("tianguis-as-of.txt")


def guardar(orden):
    # Guárdala por marketplace, account_id e id: la misma orden puede llegar más de una vez.
    print(orden["marketplace"], orden["account_id"], orden["id"], orden["status"], orden["total"])


def pedir(parametros):
    direccion = f"{TIANGUIS}/v1/orders?{urllib.parse.urlencode(parametros)}"
    solicitud = urllib.request.Request(direccion, headers={"Authorization": f"Bearer {CLAVE}"})
    espera = 0
    while True:
        try:
            with urllib.request.urlopen(solicitud) as respuesta:
                return json.load(respuesta)
        except urllib.error.HTTPError as problema:
            cuerpo = json.load(problema)
            if problema.code not in (429, 503, 504):
                error = cuerpo["error"]
                raise SystemExit(f"{error['message']} ({error['code']}, {cuerpo['meta']['request_id']})")
            # Lo que pide Retry-After; si vuelve a fallar, al menos el doble, hasta 30 segundos.
            espera = max(float(problema.headers.get("Retry-After", 1)), min(espera * 2, 30))
            time.sleep(espera + random.random())


parametros = {"limit": 100}
if MARCA.exists():
    parametros["updated_since"] = MARCA.read_text()
marca = None
while True:
    pagina = pedir(parametros)
    for orden in pagina["data"]:
        guardar(orden)
    marca = marca or pagina["meta"]["as_of"]
    if not pagina["pagination"]["has_more"]:
        break
    parametros["cursor"] = pagina["pagination"]["next_cursor"]
# Al final: si algo falla antes, la próxima vez se repite y no se pierde nada.
MARCA.write_text(marca)
