/** Every sentence of Ajustes. */
import type { Output } from '../../client.ts';

export const mailWords = {
  title: 'Alertas por correo',
  wanted: 'Enviarme un correo cuando empiece un problema',
  hint: 'Por ejemplo, cuando una conexión deja de funcionar o un saldo baja del mínimo. Solo cambia tus correos de esta organización.',
} as const;

export const wishOutcomes: Readonly<Record<Output<'plan.request'>['outcome'], string>> = {
  sent: 'Enviamos tu solicitud. Te responderán por correo.',
  already: 'Ya lo habías pedido, o ya es tu plan. No enviamos nada más.',
  no_contact: 'Esta instalación no tiene un correo de contacto: no se envió nada.',
};

export const planFacts = {
  api: 'API, agentes y hojas de cálculo',
  trial: (days: number) => `Todo el panel durante ${days} días`,
  afterTrial: 'Después puedes ver todo, pero no hacer cambios; no se borra nada',
  noEnd: 'Todo el panel, sin fecha de término',
  changes: 'Sigues conectando cuentas, generando guías y haciendo cambios',
  noApi: 'Sin API, agentes ni webhooks',
  allOf: (plan: string) => `Todo lo de ${plan}`,
  requests: (count: number) => `${count.toLocaleString('es-MX')} solicitudes por minuto`,
  customRequests: (count: number) =>
    `${count.toLocaleString('es-MX')} solicitudes por minuto, o las que acordemos`,
  keys: (count: number) => `Hasta ${count} claves de API`,
  events: (days: number) => `Registro de eventos de ${days} días`,
  endpoints: (count: number) => `Hasta ${count} endpoints de webhooks`,
  webhooks: {
    none: 'Sin webhooks',
    read: 'Webhooks solo para consultar',
    full: 'Webhooks completos',
  },
} as const;

export const guideFields = {
  destination_tax_id: 'RFC del destinatario',
  country: 'País',
  package_code: 'Tipo de empaque',
  content: 'Contenido',
  delivery_type: 'Tipo de entrega',
  payment_form: 'Forma de pago',
  acknowledgement: 'Acuse de recibo',
  coverage: 'Cobertura',
  service_type: 'Tipo de servicio',
  product_id: 'Clave de producto del SAT',
} as const;

/** Where the carrier has a few codes alone. */
export const guideValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payment_form: { PAID: 'Pagado en origen', TO_PAY: 'Por cobrar' },
  acknowledgement: { N: 'N (sin acuse)', C: 'C (cliente)', I: 'I (interno)', X: 'X (extendido)' },
  coverage: { N: 'N (sin cobertura)', A: 'A (amplia)' },
  service_type: { ST: 'ST (estándar)', '2D': '2D', DS: 'DS', A12: 'A12', MD: 'MD' },
};

export const persons: Readonly<
  Record<NonNullable<Output<'fiscal-profile.read'>['person']>, string>
> = { natural: 'Persona física', legal: 'Persona moral' };

export const fiscalWords = {
  title: 'Datos fiscales',
  intro:
    'Con ellos sabemos qué CFDI emitiste y cuáles recibiste, y qué retenciones esperar de cada marketplace.',
  rfcs: 'RFC',
  rfcsHint: 'Si facturas con más de uno, sepáralos con comas.',
  person: 'Tipo de persona',
  regime: 'Régimen fiscal',
  unknown: 'Sin indicar',
  vat: {
    title: 'IVA de tus ventas',
    general: '16 % (tasa general)',
    border: '8 % (región fronteriza)',
  },
  save: 'Guardar datos fiscales',
  saved: (count: number) => {
    if (count === 0) return 'Guardado';
    const changed =
      count === 1 ? '1 CFDI cambió' : `${count.toLocaleString('es-MX')} CFDI cambiaron`;
    return `Guardado. ${changed} entre emitidos, recibidos y de terceros.`;
  },
} as const;

export const settingsWords = {
  settings: {
    title: 'Ajustes',
    organization: 'Organización',
    name: 'Nombre',
    timezone: 'Zona horaria',
    timezoneHint: 'Define «hoy», los días de tus ventas y las horas que ves en el panel.',
  },
  plan: {
    title: 'Plan',
    current: 'Tu plan',
    ends: 'Tu prueba termina el',
    ended: 'Tu prueba terminó el',
    afterwards:
      'Después podrás ver todo lo que hay, pero no hacer cambios hasta que se elija un plan. No se borra nada.',
    readOnly:
      'Puedes ver todo lo que hay, pero no hacer cambios hasta que se elija un plan. No se borró nada.',
    free: (days: number) => `Gratis, ${days} días`,
    agreed: 'A convenir',
    price: (amount: string) => `${amount} al mes`,
    requested: (name: string) => `Pediste cambiar al plan ${name} el`,
    ofOwners: 'Solo un propietario de la organización puede cambiar el plan. Pídeselo.',
    noContact: (operator: string | null) =>
      `Para cambiar de plan, contacta a ${operator ?? 'la persona o empresa que te dio acceso a Tianguis'}.`,
    ask: 'Cambiar de plan',
    wanted: 'Plan que quieres',
    note: 'Mensaje (opcional)',
    noteHint: 'Por ejemplo, cuántas órdenes vendes al mes.',
    send: 'Pedir el cambio',
  },
  logistics: {
    title: 'Logística',
    carrier: (name: string) => `Las guías se generan con ${name}.`,
    origin: 'Domicilio de recolección',
    account: 'Cuenta que genera las guías',
    askEachTime: 'Preguntar cada vez',
    notConnected: (id: string) => `${id} (desconectada)`,
    guide: 'Valores de cada guía',
    hints: {
      origin: 'De aquí salen tus paquetes. Sin él no se pueden generar guías.',
      account: 'Se usa cuando no eliges otra al revisar un lote.',
      guide: 'Se usan en todas las guías, salvo que un lote diga otra cosa.',
    },
    save: { origin: 'Guardar domicilio', account: 'Guardar cuenta', guide: 'Guardar valores' },
    /** «El campo settings.origin.zipcode debe tener…»: the field is beside it. */
    fault: (message: string) => message.replace(/^El campo \S+ /, 'Este dato '),
  },
} as const;
