import base64
import hashlib
import hmac
import time


def es_de_tianguis(secreto, encabezados, cuerpo):
    """secreto: whsec_…
    encabezados: los de la solicitud, con sus nombres en minúsculas
    cuerpo: los bytes tal como llegaron, antes de leerlos como JSON
    """
    hora = encabezados.get("webhook-timestamp", "")
    # Doce cifras bastan; solo las de ASCII son números para int().
    if not (hora.isascii() and hora.isdigit() and len(hora) <= 12):
        return False
    if abs(time.time() - int(hora)) > 300:
        return False
    clave = base64.b64decode(secreto.removeprefix("whsec_"))
    firmado = f"{encabezados.get('webhook-id')}.{hora}.".encode(errors="replace") + cuerpo
    suma = hmac.new(clave, firmado, hashlib.sha256).digest()
    esperada = b"v1," + base64.b64encode(suma)
    firmas = encabezados.get("webhook-signature", "").encode(errors="replace").split(b" ")
    return any(hmac.compare_digest(firma, esperada) for firma in firmas)
