import { vtex } from '../../support/stand-vtex.ts';
import { runSuite } from './suite.ts';

runSuite(vtex);
