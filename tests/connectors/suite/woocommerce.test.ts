import { woocommerce } from '../../support/stand-woocommerce.ts';
import { runSuite } from './suite.ts';

runSuite(woocommerce);
