import type { Erasure } from './erasure.ts';

/** What no command can erase here, and until when it is there; in Spanish, for the written proof. */
interface Remain {
  readonly what: string;
  readonly until: string;
}

const ALWAYS: readonly Remain[] = [
  {
    what: 'Los respaldos y las réplicas de la base de datos hechos antes de la eliminación.',
    until: 'Hasta que se borren, según el plazo de respaldos de quien administra el servicio.',
  },
  {
    what: 'Las páginas que PostgreSQL liberó y su registro de escritura (WAL), que ninguna consulta ni respaldo lógico muestra.',
    until: 'Hasta que PostgreSQL las vuelva a usar.',
  },
  {
    what: 'Los registros (logs) del servicio: tienen identificadores, no datos de compradores.',
    until: 'Hasta su rotación.',
  },
  {
    what: 'Los correos ya enviados, o guardados en DATA_DIR/mail si no hay servidor de correo, y los que esperan salir, que están cifrados.',
    until:
      'Los que esperan salen o se borran en un día; los demás, cuando los borre quien los tiene.',
  },
  {
    what: 'Los archivos exportados o descargados antes, y las copias en hojas de cálculo, agentes y aplicaciones con acceso a la API.',
    until: 'Hasta que los borre quien los tiene.',
  },
  {
    what: 'Los datos de las cuentas en los marketplaces y las paqueterías.',
    until: 'Según las reglas de cada servicio.',
  },
];

const RECEIVERS: Remain = {
  what: 'Las copias de los eventos en los receptores de webhooks de la organización.',
  until: 'Hasta que las borre quien administra cada receptor.',
};

const LEFT: Remain = {
  what: 'Los webhooks que no se pudieron quitar en algún servicio. Lo que envíen se rechaza.',
  until: 'Hasta que el titular de la cuenta los borre allá.',
};

export function remainsOf({ rows, services }: Erasure): readonly Remain[] {
  const hadReceivers = (rows.webhook_endpoints ?? 0) > 0;
  const hasLeft = services.some(({ webhooks }) => webhooks === 'left');
  return [...(hadReceivers ? [RECEIVERS] : []), ...(hasLeft ? [LEFT] : []), ...ALWAYS];
}
