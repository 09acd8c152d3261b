/** Organisations with sample orders, in which a new customer sees the product at work. */
export { isSample, makeSample, removeSample, samplesBeside } from './samples.ts';
