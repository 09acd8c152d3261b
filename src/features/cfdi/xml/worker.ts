/** Reads documents in a thread of its own, whose memory is bounded. */
import { parentPort } from 'node:worker_threads';
import { unpack } from '../upload/files.ts';
import { readDocument } from './read-document.ts';
import { type Answer, ownBytes, type Question } from './reading.ts';
import { DocumentRefusal } from './refusal.ts';

parentPort?.on('message', (questions: readonly Question[]) => {
  const answers = questions.map(answerTo);
  const handed = answers.flatMap((answer) => ('xml' in answer ? [answer.xml.buffer] : []));
  parentPort?.postMessage(answers, handed);
});

function answerTo(question: Question): Answer {
  try {
    const xml = 'xml' in question ? question.xml : ownBytes(unpack(question));
    return { record: readDocument(xml), xml };
  } catch (error) {
    if (!(error instanceof DocumentRefusal)) throw error;
    return { reason: error.reason, path: error.path, message: error.message };
  }
}
