/** Reads documents in a thread of its own, whose memory is bounded. */
import { parentPort } from 'node:worker_threads';
import { unpackFile } from '../upload/files.ts';
import { readDocument } from './read-document.ts';
import { type Answer, handedOver, type Question } from './reading.ts';
import { DocumentRefusal } from './refusal.ts';

parentPort?.on('message', (questions: readonly Question[]) => {
  const isAlone = questions.length === 1;
  const answers = questions.map((question) => answerTo(question, isAlone));
  parentPort?.postMessage(answers, handedOver(questions));
});

function answerTo(question: Question, isAlone: boolean): Answer {
  try {
    if ('xml' in question) return { text: textOf(question.xml) };
    const text = textOf(unpackFile(question));
    return isAlone ? { text, packed: question.packed } : { text };
  } catch (error) {
    if (!(error instanceof DocumentRefusal)) throw error;
    return { reason: error.reason, path: error.path, message: error.message };
  }
}

function textOf(xml: Uint8Array): string {
  return JSON.stringify(readDocument(xml));
}
