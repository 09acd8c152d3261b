import { walmart } from '../../support/stand-walmart.ts';
import { runSuite } from './suite.ts';

runSuite(walmart);
