# Necesita la biblioteca cryptography: pip install cryptography
import base64
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def es_de_tianguis(clave, encabezados, cuerpo):
    """clave: la pública, whpk_…
    encabezados: los de la solicitud, con sus nombres en minúsculas
    cuerpo: los bytes tal como llegaron, antes de leerlos como JSON
    """
    hora = encabezados.get("webhook-timestamp", "")
    # Doce cifras bastan; solo las de ASCII son números para int().
    if not (hora.isascii() and hora.isdigit() and len(hora) <= 12):
        return False
    if abs(time.time() - int(hora)) > 300:
        return False
    publica = Ed25519PublicKey.from_public_bytes(base64.b64decode(clave.removeprefix("whpk_")))
    firmado = f"{encabezados.get('webhook-id')}.{hora}.".encode(errors="replace") + cuerpo
    firmas = encabezados.get("webhook-signature", "").split(" ")
    return any(coincide(publica, firma, firmado) for firma in firmas)


def coincide(publica, firma, firmado):
    version, _, texto = firma.partition(",")
    if version != "v1a":
        return False
    try:
        publica.verify(base64.b64decode(texto), firmado)
        return True
    except (InvalidSignature, ValueError):
        return False
