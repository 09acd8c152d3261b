/** States that the seller's own drivers set. */
import { type Call, Refusal, type Reply } from '../http.ts';
import type { Parcel, Parcels } from './parcels.ts';

const SETTABLE = [
  'ready_to_ship',
  'cancelled',
  'shipped',
  'in_transit_to_carrier',
  'received_by_carrier',
  'in_transit',
  'delivered',
  'not_delivered',
];
const REASONS = [
  'client_not_in_address',
  'client_rejected_shipment',
  'partial_damage',
  'total_damage',
  'bad_address',
  'carrier_error',
  'partial_loss',
  'total_loss',
  'missing_documentation',
  'inaccessible',
  'exhausted_delivery_attempts',
  'danger_zone',
  'others',
];
const LONGEST_COMMENT = 150;

export function setState(call: Call, parcel: Parcel, parcels: Parcels): void {
  const { status, substatus, comment } = call.json() as Record<string, string | undefined>;
  const errors = [
    ...parcel.refusals,
    ...(parcel.isOwnFleet ? [] : ['The shipment is not of your own fleet.']),
    ...(status === undefined ? ['The status field is required.'] : []),
    ...(status !== undefined && !SETTABLE.includes(status)
      ? ['The selected status is invalid.']
      : []),
    ...(status === 'not_delivered' && substatus === undefined
      ? ['The substatus field is required.']
      : []),
    ...(substatus !== undefined && !REASONS.includes(substatus)
      ? ['The selected substatus is invalid.']
      : []),
    ...((comment?.length ?? 0) > LONGEST_COMMENT
      ? ['The comment may not be greater than 150 characters.']
      : []),
  ];
  if (errors.length > 0) throw new Refusal(refusalOf(errors));
  parcels.move(parcel.id, status as string, substatus);
}

function refusalOf(errors: readonly string[]): Reply {
  return { status: 400, body: { status: 'error', message: 'Validation Error', errors } };
}
