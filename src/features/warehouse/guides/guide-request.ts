import type { GuideAddress, GuideDefaults, GuideRequest } from '../../../carriers/contract.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import type { Address } from '../address.ts';
import { type Line, wanted } from '../lines/line.ts';
import { parcelObstaclesOf } from '../lines/line-obstacles.ts';
import { measureParcel } from '../products/measure.ts';
import { contentsOf } from '../products/products.ts';
import type { LogisticsSettings } from '../settings.ts';
import { type Obstacle, obstacleOf } from './guide-obstacle.ts';

type Written = { readonly ok: true; readonly request: GuideRequest } | Blocked;

export interface Blocked {
  readonly ok: false;
  /** All that is missing. */
  readonly obstacles: readonly [Obstacle, ...Obstacle[]];
}

const MOST_COMMENT = 100;

/** The complete request for a line's guide, or why none is sent. */
export async function writeRequest(
  scope: ReadScope,
  line: Line,
  {
    settings,
    overrides,
    reference,
  }: {
    readonly settings: LogisticsSettings;
    readonly overrides: Partial<GuideDefaults>;
    readonly reference: string;
  },
): Promise<Written> {
  const { origin } = settings;
  const contents = await contentsOf(scope, line);
  const measured = measureParcel(contents, line.packages);
  const { destination } = line;
  if (!measured.ok || destination === null || origin === null) {
    const own = parcelObstaclesOf(line, contents).map((each) =>
      obstacleOf(each.code, each.articles),
    );
    const obstacles = origin === null ? [...own, obstacleOf('missing_origin')] : own;
    return { ok: false, obstacles: obstacles as [Obstacle, ...Obstacle[]] };
  }
  const guide = { ...settings.guide, ...overrides };
  const orders = wanted(line.orders).map(({ id }) => id);
  const request: GuideRequest = {
    reference,
    origin: addressOf(origin, guide.country),
    destination: addressOf(destination, guide.country),
    destinationTaxId: guide.destination_tax_id,
    packages: line.packages,
    ...measured.measures,
    packageCode: guide.package_code,
    content: guide.content,
    deliveryType: guide.delivery_type,
    paymentForm: guide.payment_form,
    acknowledgement: guide.acknowledgement,
    coverage: guide.coverage,
    serviceType: guide.service_type,
    productId: guide.product_id,
    comments: `Orden ${orders.join(', ')}`.slice(0, MOST_COMMENT),
  };
  return { ok: true, request };
}

function addressOf(address: Address, country: string): GuideAddress {
  return { ...address, country };
}
