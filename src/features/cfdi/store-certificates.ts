import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';

/** `record_box` has what is not stored beside it yet; null = everything is. */
export interface CertificateRow
  extends Pick<
    Rows['cfdis'],
    | 'uuid'
    | 'issuer_rfc'
    | 'receiver_rfc'
    | 'period'
    | 'isr'
    | 'iva'
    | 'is_of_platform'
    | 'replaces'
  > {
  readonly base: Rows['cfdis']['total'];
  readonly record_box: Buffer | null;
}

const CERTIFICATE = `c.uuid, c.issuer_rfc, c.receiver_rfc, c.period, c.isr, c.iva, c.total as base,
   c.is_of_platform, c.replaces, case when c.withheld is null then c.record_box end as record_box`;

const ALL = statement<CertificateRow>(
  'cfdis.certificates',
  `select ${CERTIFICATE} from cfdis c
    where c.organization_id = $1 and c.kind = 'withholding' order by c.issued_at, c.uuid`,
);
const SOME = statement<CertificateRow>(
  'cfdis.some-certificates',
  `select ${CERTIFICATE} from cfdis c
    where c.organization_id = $1 and c.kind = 'withholding' and c.uuid = any($2::text[])`,
);

/** The oldest first. */
export function certificates(scope: ReadScope): Promise<CertificateRow[]> {
  return scope.prepared(ALL, []);
}

export function someCertificates(
  scope: ReadScope,
  uuids: readonly string[],
): Promise<CertificateRow[]> {
  return scope.prepared(SOME, [uuids]);
}
