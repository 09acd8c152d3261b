/** The fields of Paquetexpress's own data model, in the groups and the order that they are shown. */
export const detailGroups: readonly {
  readonly title: string;
  readonly fields: Readonly<Record<string, string>>;
}[] = [
  {
    title: 'Guía y estado',
    fields: {
      tracking_number: 'Rastreo',
      guide_number: 'Guía',
      guide_number_formatted: 'Guía impresa',
      guide_type: 'Tipo de guía',
      document_type: 'Tipo de documento',
      status_code: 'Código de estado',
      status_text: 'Estado',
      status_category: 'Categoría',
      status_at: 'Fecha del estado',
      documented_at: 'Documentada',
      promised_at: 'Promesa de entrega',
      delivered_at: 'Entregada',
    },
  },
  {
    title: 'Servicio',
    fields: {
      service_type: 'Tipo de servicio',
      service_id: 'Clave del servicio',
      delivery_type: 'Tipo de entrega',
      delivery_route: 'Ruta de entrega',
      ack_type: 'Acuse',
      ack_type_name: 'Nombre del acuse',
      insurance_type: 'Seguro',
      declared_value: 'Valor declarado',
      payment_mode: 'Modo de pago',
      payment_type: 'Forma de pago',
      payment_type_text: 'Descripción del pago',
    },
  },
  {
    title: 'Paquetes',
    fields: {
      package_count: 'Paquetes',
      package_code: 'Tipo de empaque',
      content: 'Contenido',
      sat_product_id: 'Clave de producto del SAT',
      weight_kg: 'Peso (kg)',
      length_cm: 'Largo (cm)',
      width_cm: 'Ancho (cm)',
      height_cm: 'Alto (cm)',
      volume_m3: 'Volumen (m³)',
      rate_slab: 'Tarifa',
    },
  },
  {
    title: 'Origen',
    fields: {
      origin_client_id: 'Cliente',
      origin_name: 'Nombre',
      origin_branch: 'Sucursal',
      origin_city: 'Ciudad',
      origin_state: 'Estado',
      origin_zip: 'Código postal',
    },
  },
  {
    title: 'Destino',
    fields: {
      destination_client_id: 'Cliente',
      destination_name: 'Nombre',
      destination_tax_id: 'RFC',
      destination_phone: 'Teléfono',
      destination_branch: 'Sucursal',
      destination_street: 'Calle',
      destination_number: 'Número',
      destination_colony: 'Colonia',
      destination_city: 'Ciudad',
      destination_state: 'Estado',
      destination_zip: 'Código postal',
    },
  },
  {
    title: 'Importes y notas',
    fields: {
      subtotal_amount: 'Subtotal',
      tax_amount: 'Impuestos',
      total_amount: 'Total',
      reference: 'Referencia',
      comments: 'Comentarios',
    },
  },
];

/** The fields that are instants. */
export const INSTANTS: ReadonlySet<string> = new Set([
  'status_at',
  'documented_at',
  'promised_at',
  'delivered_at',
]);

/** The fields that are amounts. */
export const AMOUNTS: ReadonlySet<string> = new Set([
  'declared_value',
  'subtotal_amount',
  'tax_amount',
  'total_amount',
]);
