import { createPublicKey, verify } from 'node:crypto';

/**
 * clave: la pública, whpk_…
 * encabezados: los de la solicitud, con sus nombres en minúsculas
 * cuerpo: el texto tal como llegó, antes de leerlo como JSON
 */
export function esDeTianguis(clave, encabezados, cuerpo) {
  const id = encabezados['webhook-id'];
  const hora = encabezados['webhook-timestamp'];
  const firmas = encabezados['webhook-signature'] ?? '';
  if (!(Math.abs(Date.now() / 1000 - Number(hora)) <= 300)) return false;
  const x = Buffer.from(clave.replace('whpk_', ''), 'base64').toString('base64url');
  const publica = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const firmado = Buffer.from(`${id}.${hora}.${cuerpo}`);
  return firmas.split(' ').some((firma) => {
    const [version, texto = ''] = firma.split(',');
    return version === 'v1a' && verify(null, firmado, publica, Buffer.from(texto, 'base64'));
  });
}
