import { coppel } from '../../support/stand-mirakl.ts';
import { runSuite } from './suite.ts';

runSuite(coppel);
