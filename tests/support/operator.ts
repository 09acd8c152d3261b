import type { Operator } from '../../src/platform/operator.ts';

/** As where no setting says who runs the service. */
export const UNNAMED: Operator = {
  operatorName: null,
  operatorAddress: null,
  supportEmail: null,
  privacyUrl: null,
};
