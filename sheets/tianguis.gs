/**
 * Tianguis: tus órdenes en esta hoja de cálculo de Google.
 *
 * Pega todo este texto en Extensiones → Apps Script, guarda, vuelve a cargar la hoja y usa el menú
 * «Tianguis». La clave se pide una vez y queda en tus propiedades de usuario: no está en el código
 * ni en las celdas, y quien comparte la hoja contigo no la ve.
 */
const DIRECCION = 'https://tianguis.example';

/** Las fechas se escriben en la hora del centro de México, sea cual sea la zona de la hoja. */
const ZONA = 'America/Mexico_City';
const SEGUNDO = 1000;
const MINUTO = 60 * SEGUNDO;
const DIA = 24 * 60 * MINUTO;
/** Google corta cada corrida a los 6 minutos. Lo que falta sigue en otra corrida. */
const CORTE_DE_GOOGLE = 6 * MINUTO;
const POR_CORRIDA = 4.5 * MINUTO;
/** Google da 90 minutos al día a los activadores de todas tus hojas juntas. */
const POR_DIA = 60 * MINUTO;
/** Google da 20,000 al día. */
const CONSULTAS_POR_DIA = 15000;
const MAYOR_ESPERA = 30 * SEGUNDO;
const INTENTOS = 5;
/** Google no admite direcciones de más de 2 KB. */
const MAYOR_DIRECCION = 2000;
/** Google no admite más de 50,000 caracteres por celda. */
const MAYOR_TEXTO = 45000;

const TEXTO = '@';
const DINERO = '#,##0.00##';
const ENTERO = '0';
const FECHA = 'dd/mm/yyyy hh:mm';
const CLAVE_DE_FILA = [
  ['Marketplace', TEXTO],
  ['Cuenta', TEXTO],
  ['Orden', TEXTO],
];
const TABLAS = {
  ordenes: {
    nombre: 'Órdenes',
    columnas: CLAVE_DE_FILA.concat([
      ['Estado', TEXTO],
      ['Total', DINERO],
      ['Moneda', TEXTO],
      ['Comprador', TEXTO],
      ['Creada', FECHA],
      ['Cerrada', FECHA],
      ['Piezas', ENTERO],
      ['Último cambio (UTC)', TEXTO],
    ]),
  },
  articulos: {
    nombre: 'Artículos',
    columnas: CLAVE_DE_FILA.concat([
      ['Núm.', ENTERO],
      ['Producto', TEXTO],
      ['SKU', TEXTO],
      ['Piezas', ENTERO],
      ['Precio', DINERO],
      ['Moneda', TEXTO],
      ['Estado', TEXTO],
      ['Creada', FECHA],
    ]),
  },
};
const ESTADOS = {
  pending: 'Pendiente de pago',
  paid: 'Pagada',
  ready_to_ship: 'Lista para enviar',
  partially_shipped: 'Envío parcial',
  shipped: 'Enviada',
  delivered: 'Entregada',
  cancelled: 'Cancelada',
  returned: 'Devuelta',
  refunded: 'Reembolsada',
  unknown: 'Sin clasificar',
};

function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu('Tianguis')
    .addItem('Actualizar órdenes', 'actualizarOrdenes')
    .addItem('Ordenar: las más nuevas arriba', 'ordenarPorFecha')
    .addSeparator()
    .addItem('Actualizar automáticamente', 'activarCadaHora')
    .addItem('Dejar de actualizar automáticamente', 'desactivarCadaHora')
    .addSeparator()
    .addItem('Estado', 'verEstado')
    .addItem('Cambiar la clave', 'cambiarClave')
    .addItem('Empezar de nuevo', 'empezarDeNuevo')
    .addToUi();
}

function actualizarOrdenes() {
  aMano_(() => {
    if (clave_() === null && !pedirClave_()) return 'No se guardó ninguna clave.';
    return correr_(false);
  });
}

/** Lo llama el activador de cada hora. */
function actualizarCadaHora() {
  porActivador_();
}

/** Lo llama el activador que sigue una carga larga. */
function continuarCarga() {
  quitarActivadores_('continuarCarga');
  porActivador_();
}

function activarCadaHora() {
  aMano_(() => {
    if (clave_() === null && !pedirClave_()) return 'No se guardó ninguna clave.';
    quitarActivadores_('actualizarCadaHora');
    ScriptApp.newTrigger('actualizarCadaHora').timeBased().everyHours(1).create();
    return 'Listo: la hoja se actualiza cada hora, aunque esté cerrada.';
  });
}

function desactivarCadaHora() {
  aMano_(() => {
    quitarActivadores_('actualizarCadaHora');
    quitarActivadores_('continuarCarga');
    return 'Listo: la hoja solo se actualiza cuando tú lo pides.';
  });
}

function cambiarClave() {
  aMano_(() => (pedirClave_() ? 'La clave quedó guardada.' : 'La clave no cambió.'));
}

function verEstado() {
  aMano_(() => {
    const { ultimo, cursor } = leerEstado_();
    const cadaHora = hayActivador_('actualizarCadaHora')
      ? 'Se actualiza automáticamente cada hora.'
      : '';
    const falta = cursor ? 'Falta una parte de la carga.' : '';
    return [ultimo || 'Todavía no se ha cargado nada.', falta, cadaHora].filter(Boolean).join('\n');
  });
}

function ordenarPorFecha() {
  aMano_(() =>
    conCandado_(() => {
      for (const { hoja, columnas } of tablasQueHay_()) {
        if (hoja.getLastRow() < 2) continue;
        revisarEncabezados_(hoja, columnas);
        hoja.sort(columnas.findIndex(([titulo]) => titulo === 'Creada') + 1, false);
      }
      return 'Listo: las órdenes más nuevas quedaron arriba.';
    }),
  );
}

function empezarDeNuevo() {
  const ui = SpreadsheetApp.getUi();
  const pregunta =
    'Se borran las órdenes y los artículos de sus dos pestañas y se cargan otra vez. ' +
    'Lo que escribiste en otras columnas se queda donde está. ¿Empezar de nuevo?';
  if (ui.alert('Tianguis', pregunta, ui.ButtonSet.YES_NO) !== ui.Button.YES) return;
  aMano_(() => {
    conCandado_(() => {
      const tablas = tablasQueHay_();
      guardarEstado_({ hojas: leerEstado_().hojas });
      vaciar_(tablas);
    });
    return correr_(false);
  });
}

/* ---- Cómo corre ---- */

/** Lo que la persona tiene que saber, en una frase que le sirva. */
class Aviso extends Error {}
/** No se pudo ahora; más tarde quizá sí. `en` = milisegundos hasta el siguiente intento. */
class Pausa extends Error {
  constructor(mensaje, en) {
    super(mensaje);
    this.en = en;
  }
}

function aMano_(trabajo) {
  try {
    const dicho = trabajo();
    if (dicho) SpreadsheetApp.getActive().toast(dicho, 'Tianguis', 15);
  } catch (error) {
    SpreadsheetApp.getUi().alert(
      'Tianguis',
      mensajeDe_(error),
      SpreadsheetApp.getUi().ButtonSet.OK,
    );
  }
}

/** Lo que necesita a una persona falla, y Google se lo cuenta por correo. */
function porActivador_() {
  try {
    console.log(correr_(true));
  } catch (error) {
    throw new Error(mensajeDe_(error));
  }
}

function mensajeDe_(error) {
  return error instanceof Aviso ? error.message : `Google no dejó terminar: ${error.message}`;
}

/** Dos cargas al mismo tiempo escribirían dos veces la misma orden. */
function conCandado_(trabajo) {
  const candado = LockService.getDocumentLock();
  if (!candado) throw new Aviso('Pega este código desde la hoja, en Extensiones → Apps Script.');
  if (!candado.tryLock(SEGUNDO)) return 'Ya hay una carga en curso. Espera a que termine.';
  try {
    return trabajo();
  } finally {
    SpreadsheetApp.flush();
    candado.releaseLock();
  }
}

function correr_(esActivador) {
  return conCandado_(() => {
    const corrida = abrirCorrida_(esActivador);
    try {
      const cuenta = { nuevas: 0, cambiadas: 0 };
      return terminar_(
        corrida,
        cuenta,
        intentar_(() => cargar_(corrida, cuenta)),
      );
    } catch (error) {
      anotar_(mensajeDe_(error));
      if (esActivador && !(error instanceof Aviso)) continuarEn_(15 * MINUTO);
      throw error;
    } finally {
      cerrarCorrida_(corrida);
    }
  });
}

/** La pausa que hizo falta; null = se cargó todo. */
function intentar_(trabajo) {
  try {
    trabajo();
    return null;
  } catch (error) {
    if (!(error instanceof Pausa)) throw error;
    return error;
  }
}

function terminar_(corrida, { nuevas, cambiadas }, pausa) {
  const contadas = `${nuevas} órdenes nuevas y ${cambiadas} cambiadas.`;
  if (!pausa) {
    quitarActivadores_('continuarCarga');
    return anotar_(`Todo al día: ${contadas}`);
  }
  continuarEn_(pausa.en);
  return anotar_(`Van ${contadas} ${pausa.message}`);
}

function continuarEn_(milisegundos) {
  quitarActivadores_('continuarCarga');
  ScriptApp.newTrigger('continuarCarga').timeBased().after(milisegundos).create();
}

/**
 * Lo que ya se gastó hoy. Un activador aparta desde el principio el tiempo más largo que puede
 * tardar, y al terminar devuelve lo que no usó: si Google lo corta, queda contado.
 */
function abrirCorrida_(esActivador) {
  const inicio = Date.now();
  const guardado = JSON.parse(propiedades_().getProperty('consumo') || '{}');
  const esDeHoy = inicio - guardado.desde < DIA;
  const consumo = esDeHoy ? guardado : { desde: inicio, activo: 0, consultas: 0 };
  const corrida = { inicio, consumo, antes: consumo.activo, esActivador };
  corrida.cabe = !esActivador || consumo.activo + CORTE_DE_GOOGLE <= POR_DIA;
  if (esActivador && corrida.cabe) guardarConsumo_(corrida, consumo.activo + CORTE_DE_GOOGLE);
  return corrida;
}

function cerrarCorrida_(corrida) {
  const tardo = corrida.esActivador ? Date.now() - corrida.inicio : 0;
  guardarConsumo_(corrida, corrida.antes + tardo);
}

function guardarConsumo_({ consumo }, activo) {
  propiedades_().setProperty('consumo', JSON.stringify(Object.assign({}, consumo, { activo })));
}

function hastaManana_({ consumo }) {
  return Math.max(consumo.desde + DIA - Date.now(), MINUTO) + MINUTO;
}

function otraCorrida_() {
  return new Pausa('Lo demás sigue automáticamente en un minuto.', MINUTO);
}

function quedan_({ inicio }) {
  return inicio + POR_CORRIDA - Date.now();
}

/* ---- Las órdenes ---- */

/** Página por página; lo escrito se confirma antes de avanzar, así que un corte solo la repite. */
function cargar_(corrida, cuenta) {
  if (!corrida.cabe)
    throw new Pausa('Sigue mañana: hoy ya corrió una hora.', hastaManana_(corrida));
  const estado = leerEstado_();
  comprobarOrganizacion_(estado, pedir_(corrida, '/v1/me').data.organization_id);
  const tablas = abrirTablas_(estado);
  guardarEstado_(estado);
  for (;;) {
    if (quedan_(corrida) <= 0) throw otraCorrida_();
    const { data, pagination, meta } = pedirPagina_(corrida, estado);
    Object.values(tablas).forEach(ubicar_);
    escribirOrdenes_(tablas, data, cuenta);
    SpreadsheetApp.flush();
    avanzar_(estado, data, pagination, meta);
    guardarEstado_(estado);
    if (!pagination.has_more) return;
    if (!corrida.esActivador)
      SpreadsheetApp.getActive().toast(`Van ${cuenta.nuevas + cuenta.cambiadas}…`, 'Tianguis');
  }
}

/** Las páginas van de la orden que cambió primero a la última, así que desde ahí se puede seguir. */
function avanzar_(estado, data, { has_more: hayMas, next_cursor: cursor }, { as_of: hasta }) {
  const ultima = data.length > 0 ? data[data.length - 1].last_updated : estado.desde;
  estado.desde = hayMas ? ultima : hasta;
  estado.cursor = hayMas ? cursor : '';
}

function comprobarOrganizacion_(estado, organizacion) {
  if (estado.organizacion && estado.organizacion !== organizacion)
    throw new Aviso(
      'La clave es de otra organización y esta hoja ya tiene órdenes. ' +
        'Usa otra hoja, o «Empezar de nuevo».',
    );
  estado.organizacion = organizacion;
}

/** Un cursor que ya no sirve, o que no cabe en una dirección, se cambia por la última fecha vista. */
function pedirPagina_(corrida, estado) {
  const porFecha = () =>
    pedir_(corrida, ruta_('updated_since', estado.desde || '1970-01-01T00:00:00Z'));
  if (!estado.cursor) return porFecha();
  const ruta = ruta_('cursor', estado.cursor);
  if (DIRECCION.length + ruta.length > MAYOR_DIRECCION) return porFecha();
  try {
    return pedir_(corrida, ruta);
  } catch (error) {
    if (error.codigo !== 'invalid_cursor') throw error;
    return porFecha();
  }
}

function ruta_(nombre, valor) {
  return `/v1/orders?limit=100&${nombre}=${encodeURIComponent(valor)}`;
}

/* ---- La API ---- */

/** Lo contestado; espera y repite cuando se agota la cuota o el servicio no contesta. */
function pedir_(corrida, ruta) {
  let espera = 0;
  for (let intento = 1; ; intento++) {
    const respuesta = traer_(corrida, ruta, clave_());
    const estatus = respuesta ? respuesta.getResponseCode() : 0;
    if (estatus === 200) return leerJson_(respuesta);
    if (estatus !== 429 && estatus !== 0 && estatus < 500) throw rechazo_(respuesta);
    if (estatus !== 429 && intento === INTENTOS)
      throw new Pausa('Tianguis no contesta; se intenta otra vez más tarde.', 15 * MINUTO);
    const pedido = pausaPedida_(respuesta);
    espera = intento === 1 ? pedido || SEGUNDO : Math.min(espera * 2, MAYOR_ESPERA);
    const total = Math.max(espera, pedido) + Math.random() * SEGUNDO;
    if (total > quedan_(corrida)) throw otraCorrida_();
    Utilities.sleep(total);
  }
}

function leerJson_(respuesta) {
  try {
    return JSON.parse(respuesta.getContentText());
  } catch (error) {
    throw new Aviso(`La respuesta de ${DIRECCION} no es de Tianguis: ${error.message}`);
  }
}

/** null = no hubo respuesta. */
function traer_(corrida, ruta, clave) {
  if (corrida.consumo.consultas >= CONSULTAS_POR_DIA)
    throw new Pausa('Sigue mañana: hoy ya se hicieron 15,000 consultas.', hastaManana_(corrida));
  corrida.consumo.consultas++;
  try {
    return UrlFetchApp.fetch(DIRECCION + ruta, {
      headers: { Authorization: `Bearer ${clave}` },
      muteHttpExceptions: true,
      followRedirects: false,
    });
  } catch (error) {
    console.warn(error.message);
    return null;
  }
}

function pausaPedida_(respuesta) {
  const encabezados = respuesta ? respuesta.getHeaders() : {};
  const nombre = Object.keys(encabezados).find((cual) => cual.toLowerCase() === 'retry-after');
  return (Number(nombre && encabezados[nombre]) || 0) * SEGUNDO;
}

const QUE_HACER = {
  401: ' Elige «Cambiar la clave» en el menú Tianguis.',
  403: ' Tus órdenes siguen en la hoja; deja de actualizarse hasta que eso cambie.',
};

function rechazo_(respuesta) {
  const estatus = respuesta.getResponseCode();
  let dicho = {};
  try {
    dicho = JSON.parse(respuesta.getContentText()).error || {};
  } catch (error) {
    console.warn(`La respuesta ${estatus} no es de Tianguis: ${error.message}`);
  }
  const frase = dicho.message || `Tianguis contestó ${estatus}.`;
  const aviso = new Aviso(frase + (QUE_HACER[estatus] || ''));
  aviso.codigo = dicho.code;
  return aviso;
}

/** Pregunta por la clave, la prueba y la guarda. @returns si quedó guardada */
function pedirClave_() {
  const ui = SpreadsheetApp.getUi();
  const pregunta = 'Pega tu clave de API. Empieza con tgs_ y está en Tianguis, en Claves de API.';
  const respuesta = ui.prompt('Tianguis', pregunta, ui.ButtonSet.OK_CANCEL);
  if (respuesta.getSelectedButton() !== ui.Button.OK) return false;
  const clave = respuesta.getResponseText().trim();
  if (!/^tgs_[0-9A-Za-z]{45}$/.test(clave))
    throw new Aviso('Esa clave no está completa: empieza con tgs_ y tiene 49 caracteres.');
  const prueba = traer_({ consumo: { consultas: 0 } }, '/v1/me', clave);
  if (!prueba) throw new Aviso('Tianguis no contesta. Intenta otra vez en unos minutos.');
  if ([401, 403].includes(prueba.getResponseCode())) throw rechazo_(prueba);
  propiedades_().setProperty('clave', clave);
  return true;
}

/* ---- Las pestañas ---- */

/** Sin sus pestañas, o sin ninguna orden en ellas, la carga empieza desde el principio. */
function abrirTablas_(estado) {
  const ids = estado.hojas || {};
  estado.hojas = {};
  const tablas = {};
  for (const [cual, { nombre, columnas }] of Object.entries(TABLAS)) {
    const hoja = buscarHoja_(ids[cual], nombre) || crearHoja_(nombre, columnas);
    tablas[cual] = ubicar_({ hoja, columnas });
    estado.hojas[cual] = hoja.getSheetId();
    if (estado.hojas[cual] !== ids[cual]) Object.assign(estado, { desde: '', cursor: '' });
  }
  if (tablas.ordenes.filas.size === 0) Object.assign(estado, { desde: '', cursor: '' });
  return tablas;
}

/** Por su número, para que se le pueda cambiar el nombre. */
function buscarHoja_(id, nombre) {
  const hojas = SpreadsheetApp.getActive().getSheets();
  return (
    hojas.find((hoja) => hoja.getSheetId() === id) ||
    hojas.find((hoja) => hoja.getName() === nombre)
  );
}

function tablasQueHay_() {
  const { hojas: ids = {} } = leerEstado_();
  return Object.keys(TABLAS)
    .map((cual) =>
      Object.assign({ hoja: buscarHoja_(ids[cual], TABLAS[cual].nombre) }, TABLAS[cual]),
    )
    .filter(({ hoja }) => hoja);
}

function crearHoja_(nombre, columnas) {
  const hoja = SpreadsheetApp.getActive().insertSheet(nombre);
  const sobran = hoja.getMaxColumns() - columnas.length;
  if (sobran > 0) hoja.deleteColumns(columnas.length + 1, sobran);
  hoja.setFrozenRows(1);
  return hoja;
}

/** Los encabezados se escriben en una pestaña vacía; en otra se comparan. */
function revisarEncabezados_(hoja, columnas) {
  const titulos = columnas.map(([titulo]) => titulo);
  const faltan = titulos.length - hoja.getMaxColumns();
  if (faltan > 0) hoja.insertColumnsAfter(hoja.getMaxColumns(), faltan);
  const primera = hoja.getRange(1, 1, 1, titulos.length);
  const escritos = primera.getValues()[0].map(String);
  if (escritos.every((titulo) => titulo === '') && hoja.getLastRow() < 2)
    primera.setValues([titulos]).setFontWeight('bold');
  else if (escritos.some((titulo, lugar) => titulo !== titulos[lugar]))
    throw new Aviso(
      `La pestaña «${hoja.getName()}» tiene otros encabezados. Deja las primeras ` +
        `${titulos.length} columnas como estaban y pon las tuyas a la derecha; ` +
        'si la pestaña es otra cosa, cámbiale el nombre.',
    );
}

/** Antes de cada página: entre una y otra la persona puede ordenar, insertar y borrar filas. */
function ubicar_(tabla) {
  revisarEncabezados_(tabla.hoja, tabla.columnas);
  return Object.assign(tabla, indice_(tabla.hoja));
}

/** En qué filas está cada orden, y cuál sigue libre. */
function indice_(hoja) {
  const ultima = hoja.getLastRow();
  const valores = ultima < 2 ? [] : hoja.getRange(2, 1, ultima - 1, 3).getValues();
  const filas = new Map();
  let libre = 2;
  valores.forEach((valor, lugar) => {
    if (String(valor[2]) === '') return;
    const llave = llave_(valor);
    filas.set(llave, (filas.get(llave) || []).concat(lugar + 2));
    libre = lugar + 3;
  });
  return { filas, libre };
}

/** El apóstrofo con que se guarda un texto puede leerse o no, según Google. */
function llave_(valores) {
  return JSON.stringify(valores.map((valor) => String(valor).replace(/^'+/, '')));
}

function escribirOrdenes_({ ordenes, articulos }, data, cuenta) {
  const escritas = { ordenes: [], articulos: [] };
  const sobran = [];
  for (const orden of data) {
    const llave = llave_([orden.marketplace, orden.account_id, orden.id]);
    cuenta[ordenes.filas.has(llave) ? 'cambiadas' : 'nuevas']++;
    const [fila] = lugares_(ordenes, llave, 1);
    escritas.ordenes.push([fila, celdasDeOrden_(orden)]);
    const tenia = articulos.filas.get(llave) || [];
    const renglones = orden.items.map((articulo, lugar) =>
      celdasDeArticulo_(orden, articulo, lugar),
    );
    const lugares = lugares_(articulos, llave, renglones.length);
    renglones.forEach((celdas, lugar) => escritas.articulos.push([lugares[lugar], celdas]));
    sobran.push(...tenia.slice(renglones.length));
  }
  escribirFilas_(articulos, escritas.articulos);
  for (const fila of sobran)
    articulos.hoja.getRange(fila, 1, 1, articulos.columnas.length).clearContent();
  escribirFilas_(ordenes, escritas.ordenes);
}

/** Las filas de una orden: las que tenía, y nuevas al final. */
function lugares_(tabla, llave, cuantas) {
  const lugares = (tabla.filas.get(llave) || []).slice(0, cuantas);
  while (lugares.length < cuantas) lugares.push(tabla.libre++);
  tabla.filas.set(llave, lugares);
  return lugares;
}

/** De una vez las que están juntas. El formato va antes: decide qué hace Google con un texto. */
function escribirFilas_({ hoja, columnas, libre }, escritas) {
  const faltan = libre - 1 - hoja.getMaxRows();
  if (faltan > 0) hoja.insertRowsAfter(hoja.getMaxRows(), faltan);
  const formatos = columnas.map(([, formato]) => formato);
  const enOrden = escritas.slice().sort(([una], [otra]) => una - otra);
  for (let desde = 0; desde < enOrden.length; ) {
    let hasta = desde + 1;
    while (hasta < enOrden.length && enOrden[hasta][0] === enOrden[hasta - 1][0] + 1) hasta++;
    const juntas = enOrden.slice(desde, hasta);
    hoja
      .getRange(juntas[0][0], 1, juntas.length, columnas.length)
      .setNumberFormats(juntas.map(() => formatos))
      .setValues(juntas.map(([, celdas]) => celdas));
    desde = hasta;
  }
}

function vaciar_(tablas) {
  for (const { hoja, columnas } of tablas) {
    if (hoja.getLastRow() < 2) continue;
    revisarEncabezados_(hoja, columnas);
    hoja.getRange(2, 1, hoja.getLastRow() - 1, columnas.length).clearContent();
  }
}

/* ---- Las celdas ---- */

function celdasDeOrden_(orden) {
  return [
    texto_(orden.marketplace),
    texto_(orden.account_id),
    texto_(orden.id),
    texto_(ESTADOS[orden.status] || orden.status),
    numero_(orden.total),
    texto_(orden.currency),
    texto_(orden.buyer_name),
    fecha_(orden.date_created),
    fecha_(orden.date_closed),
    piezasDe_(orden.items),
    texto_(orden.last_updated),
  ];
}

function celdasDeArticulo_(orden, articulo, lugar) {
  return [
    texto_(orden.marketplace),
    texto_(orden.account_id),
    texto_(orden.id),
    lugar + 1,
    texto_(articulo.title),
    texto_(articulo.sku),
    piezas_(articulo),
    numero_(articulo.unit_price),
    texto_(orden.currency),
    texto_(ESTADOS[orden.status] || orden.status),
    fecha_(orden.date_created),
  ];
}

/** Lo que parece fórmula se guarda como texto: un comprador puede llamarse «=IMPORTXML(…)». */
function texto_(valor) {
  const texto = String(valor === null || valor === undefined ? '' : valor).slice(0, MAYOR_TEXTO);
  return /^[=+\-@'\t\r\n＝＋－＠]/.test(texto) ? `'${texto}` : texto;
}

function numero_(valor) {
  return valor === null || valor === undefined ? '' : valor;
}

/** Nadie ordena 0 piezas: es un renglón del que el marketplace ya no dice cuántas fueron. */
function piezas_({ quantity }) {
  return quantity === 0 ? '' : quantity;
}

function piezasDe_(articulos) {
  const piezas = articulos.map(piezas_);
  return piezas.includes('') ? '' : piezas.reduce((suma, una) => suma + una, 0);
}

/** El número con que las hojas guardan una fecha: días desde 1899-12-30. */
function fecha_(iso) {
  if (!iso) return '';
  const instante = Date.parse(iso);
  return (instante + desfase_(instante)) / DIA + 25569;
}

const desfases = {};

function desfase_(instante) {
  const hora = Math.floor(instante / (60 * MINUTO));
  if (!(hora in desfases)) {
    const [, signo, horas, minutos] = /^([+-])(\d\d)(\d\d)$/.exec(
      Utilities.formatDate(new Date(instante), ZONA, 'Z'),
    );
    desfases[hora] = (signo === '-' ? -1 : 1) * (horas * 60 + Number(minutos)) * MINUTO;
  }
  return desfases[hora];
}

/* ---- Lo que se guarda ---- */

/** De cada persona: la clave y lo que gastó hoy. */
function propiedades_() {
  return PropertiesService.getUserProperties();
}

function clave_() {
  return propiedades_().getProperty('clave');
}

/** De la hoja: hasta dónde va. */
function leerEstado_() {
  return JSON.parse(PropertiesService.getDocumentProperties().getProperty('estado') || '{}');
}

function guardarEstado_(estado) {
  PropertiesService.getDocumentProperties().setProperty('estado', JSON.stringify(estado));
}

/** Deja dicho qué pasó, para «Estado». */
function anotar_(frase) {
  const cuando = Utilities.formatDate(new Date(), ZONA, 'dd/MM/yyyy HH:mm');
  guardarEstado_(Object.assign(leerEstado_(), { ultimo: `${cuando}: ${frase}` }));
  return frase;
}

function hayActivador_(funcion) {
  return ScriptApp.getProjectTriggers().some((cual) => cual.getHandlerFunction() === funcion);
}

function quitarActivadores_(funcion) {
  for (const activador of ScriptApp.getProjectTriggers())
    if (activador.getHandlerFunction() === funcion) ScriptApp.deleteTrigger(activador);
}
