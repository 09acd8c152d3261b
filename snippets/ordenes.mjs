// Trae las órdenes que cambiaron desde la última vez. Node.js 20 o más reciente.
import { readFile, writeFile } from 'node:fs/promises';

const TIANGUIS = 'https://tianguis.example';
const CLAVE = process.env.TIANGUIS_KEY;
const MARCA = 'tianguis-as-of.txt';

function guardar(orden) {
  // Guárdala por marketplace, account_id e id: la misma orden puede llegar más de una vez.
  console.log(orden.marketplace, orden.account_id, orden.id, orden.status, orden.total);
}

async function pedir(direccion) {
  for (let espera = 0; ; ) {
    const respuesta = await fetch(direccion, { headers: { authorization: `Bearer ${CLAVE}` } });
    if (respuesta.ok) return respuesta.json();
    const { error, meta } = await respuesta.json();
    if (![429, 503, 504].includes(respuesta.status))
      throw new Error(`${error.message} (${error.code}, ${meta.request_id})`);
    // Lo que pide Retry-After; si vuelve a fallar, al menos el doble, hasta 30 segundos.
    const pedida = Number(respuesta.headers.get('retry-after') ?? 1);
    espera = Math.max(pedida, Math.min(espera * 2, 30));
    await new Promise((seguir) => setTimeout(seguir, (espera + Math.random()) * 1000));
  }
}

const desde = await readFile(MARCA, 'utf8').catch(() => null);
let marca = null;
let cursor = null;
do {
  const direccion = new URL('/v1/orders?limit=100', TIANGUIS);
  if (desde) direccion.searchParams.set('updated_since', desde);
  if (cursor) direccion.searchParams.set('cursor', cursor);
  const { data, pagination, meta } = await pedir(direccion);
  data.forEach(guardar);
  marca ??= meta.as_of;
  cursor = pagination.next_cursor;
} while (cursor);
// Al final: si algo falla antes, la próxima vez se repite y no se pierde nada.
await writeFile(MARCA, marca);
