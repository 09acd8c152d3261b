import { liverpool } from '../../support/stand-mirakl.ts';
import { runSuite } from './suite.ts';

runSuite(liverpool);
