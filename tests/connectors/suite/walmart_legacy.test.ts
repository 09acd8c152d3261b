import { walmartLegacy } from '../../support/stand-walmart.ts';
import { runSuite } from './suite.ts';

runSuite(walmartLegacy);
