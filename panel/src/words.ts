/** The sentences that several screens share; each screen has its own beside it. A key that is missing does not compile. */
import type { Contract } from '../../src/entrances/panel/contract.ts';
import * as codes from '../../src/words/codes.ts';

type Order = Contract['orders.list']['output']['data'][number];
type Account = Contract['connections.list']['output']['data'][number];
type OpenTag = Contract['orders.list']['output']['open'][number]['tag'];

export const statuses: Readonly<Record<Order['status'], string>> = codes.orderStatuses;

/** What is open of an order after its sale. */
export const openTags: Readonly<Record<OpenTag, string>> = codes.openTags;

export const states: Readonly<Record<Account['state'], string>> = {
  ok: 'Al día',
  delayed: 'Con retraso',
  reauth_required: 'Hay que reconectar',
  error: 'Requiere atención',
  paused: 'En pausa',
  disconnected: 'Desconectada',
};

export const settlementStatuses: Readonly<Record<string, string>> = codes.settlementStatuses;

export const shipmentCategories: Readonly<Record<string, string>> = codes.shipmentCategories;

export const timezones: Readonly<Record<string, string>> = codes.timezones;

export const words = {
  failures: {
    offline: 'No hay conexión con Tianguis. Revisa tu internet e intenta de nuevo.',
    unknown: 'Algo falló de nuestro lado. Intenta de nuevo.',
    title: 'No se pudo cargar',
    suspended: 'Organización suspendida',
    notSaved: 'No se pudo guardar',
    again: 'Intentar de nuevo',
    signIn: 'Entrar de nuevo',
    factor: 'Confirma que eres tú',
    noFactor: 'Activa la verificación en dos pasos',
    confirm: 'Confirmar',
    enrol: 'Activar la verificación en dos pasos',
    request: 'Solicitud',
  },
  conflict: {
    changed:
      'Otra persona guardó cambios mientras editabas. Lo que escribiste sigue aquí; junto a cada dato distinto está lo que quedó guardado.',
    savedNow: (value: string) => `Guardado ahora: ${value}`,
    savedEmpty: 'Guardado ahora: vacío',
    keepMine: 'Guardar lo que escribí',
    useTheirs: 'Descartar lo que escribí',
  },
  frame: {
    skip: 'Saltar al contenido',
    navigation: 'Principal',
    groups: { work: 'Operación', organization: 'Organización' },
    account: 'Mi cuenta',
    docs: 'Guía rápida de la API',
    leave: 'Cerrar sesión',
    trialOver: 'Tu prueba terminó: puedes ver tus datos, pero no hacer cambios.',
    plans: 'Ver los planes',
    offline:
      'No hay conexión con Tianguis. Lo que escribiste se conserva en esta pestaña; lo intentamos de nuevo.',
    signedOut: 'Tu sesión terminó. Entra de nuevo para continuar.',
    find: 'Buscar una orden',
    findHint: 'Por orden, producto, comprador, rastreo, SKU, total o folio fiscal.',
    keys: 'Atajos del teclado',
    noPage: 'No existe esa página del panel.',
    broken: 'No se pudo abrir esta pantalla',
    brokenHelp:
      'Puede que tu conexión haya fallado o que Tianguis se acabe de actualizar. Vuelve a cargarla: lo que escribiste se conserva en esta pestaña.',
    reload: 'Volver a cargar',
  },
  shortcuts: {
    title: 'Atajos del teclado',
    find: 'Buscar una orden',
    go: (name: string) => `Ir a ${name}`,
    list: 'Recorrer una lista',
    open: 'Abrir lo seleccionado',
    close: 'Cerrar',
    help: 'Mostrar estos atajos',
  },
  parts: {
    cancel: 'Cancelar',
    copy: 'Copiar',
    copied: 'Copiado',
    notCopied: 'No se pudo copiar',
    more: 'Cargar más',
    loading: 'Cargando…',
    close: 'Cerrar',
    save: 'Guardar',
    saving: 'Guardando…',
    saved: 'Guardado',
    clear: 'Quitar filtros',
    searchHint: (what = 'Escribe y presiona') => `${what} ↵`,
    clearText: 'Borrar lo escrito',
    filters: (set: number) => (set > 0 ? `Filtros (${set})` : 'Filtros'),
    none: '—',
    nativeAt: (source: string) => `Estado en ${source}`,
    chartHint: 'Elige una barra para ver su valor.',
  },
  orders: {
    title: 'Órdenes',
    id: 'Orden',
    date: 'Fecha',
    marketplace: 'Marketplace',
    status: 'Estado',
    buyer: 'Comprador',
    items: 'Productos',
    total: 'Total',
    from: 'Desde',
    to: 'Hasta',
    any: 'Todos',
    copyQuery: 'Copiar como consulta de API',
    copiedQuery: 'Consulta copiada',
    empty: 'Aquí verás las órdenes de todos tus marketplaces.',
    emptyFiltered: 'No hay órdenes con esos filtros.',
    connect: 'Conectar una cuenta',
    search: 'Buscar',
    searchHint: 'Orden, SKU o comprador',
    searched: 'Busca por orden, producto, comprador, rastreo, SKU o total.',
    payment: 'Pago',
    fulfillment: 'Surtido',
    exportAll: 'Exportar',
    cut: 'Hay demasiadas coincidencias y puede faltar alguna orden. Agrega otra palabra.',
    notComplete: 'Las órdenes antiguas todavía se están preparando para la búsqueda.',
    views: 'Vistas guardadas',
    saveView: 'Guardar vista',
    viewName: 'Nombre de la vista',
    viewStays: 'No se pudo borrar la vista',
    removeView: (name: string) => `Borrar la vista ${name}`,
    removeViewTitle: (name: string) => `¿Borrar la vista ${name}?`,
    removeViewAction: 'Borrar vista',
    removeViewHelp: 'Solo se borran los filtros guardados. Tus órdenes siguen igual.',
    hiddenBuyer: 'No disponible',
    pieces: (quantity: number, title: string) => (quantity > 1 ? `${quantity} × ${title}` : title),
    andMore: (count: number) => `y ${count} más`,
    /** Of an order without a total. */
    noTotal: (isCancelled: boolean) => (isCancelled ? 'Sin importe' : 'Aún sin importe'),
    count: (count: string, more: boolean) => {
      if (more) return `Más de ${count} órdenes`;
      return count === '1' ? '1 orden' : `${count} órdenes`;
    },
  },
  order: {
    title: (id: string) => `Orden ${id}`,
    history: 'Historial',
    items: 'Productos',
    parcels: 'Envíos',
    noParcels: 'No hay envíos vinculados a esta orden.',
    invoice: 'Factura',
    account: 'Cuenta',
    created: 'Creada',
    changed: 'Última actualización',
    buyer: 'Comprador',
    sku: 'SKU',
    each: 'c/u',
    tracking: 'Rastreo',
    folio: 'Folio fiscal',
  },
  connections: {
    title: 'Conexiones',
    intro: 'Las cuentas de tus marketplaces y paqueterías, y desde cuándo tenemos sus datos.',
    none: 'Sin conectar',
    empty: 'Conecta tu primera cuenta: tus órdenes aparecen en cuanto empieza la sincronización.',
    connected: (name: string) =>
      `Tu cuenta de ${name} quedó conectada. Lo que tiene aparece en unos segundos.`,
    seeOrders: 'Ver órdenes',
    connect: 'Conectar',
    connectAnother: 'Conectar otra cuenta',
    reconnect: 'Reconectar',
    importing: 'Primera sincronización en curso',
    first: 'Primera sincronización pendiente',
    details: 'Qué se ha leído',
    underWay: 'en curso',
    setAside: (count: string) =>
      count === '1' ? '1 sin poder leerse' : `${count} sin poder leerse`,
    syncNow: 'Sincronizar ahora',
    syncing: 'Se sincroniza en unos segundos',
    notSynced: 'No se pudo sincronizar',
    disconnect: 'Desconectar',
    notDisconnected: 'No se desconectó la cuenta',
    webhooksLeft: (service: string) =>
      `${service} no nos dejó quitar los webhooks que registramos ahí. Bórralos en tu cuenta de ${service}; lo que siga enviando se ignora.`,
    disconnectTitle: (service: string, name: string) => `¿Desconectar ${name} de ${service}?`,
    disconnectLoses:
      'Borramos las credenciales y dejamos de leer órdenes, inventario y saldos de esta cuenta.',
    disconnectKeeps:
      'Lo que ya se sincronizó se queda. Si la conectas otra vez, sigue donde se quedó.',
    last: 'Última sincronización',
    never: 'Todavía no se sincroniza',
    carriers: 'Paqueterías',
    marketplaces: 'Marketplaces',
  },
} as const;
