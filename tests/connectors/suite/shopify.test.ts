import { shopify } from '../../support/stand-shopify.ts';
import { runSuite } from './suite.ts';

runSuite(shopify);
