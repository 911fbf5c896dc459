// Which transaction a call belongs to: the one within whose work it is made, however deep.

import { AsyncLocalStorage } from 'node:async_hooks';
import { FoveaError } from '../errors.ts';

export class TransactionScope<Transaction> {
  readonly #running = new AsyncLocalStorage<{
    readonly transaction: Transaction;
    hasEnded: boolean;
  }>();

  /** Whether the caller is the work of a transaction. */
  get isInside(): boolean {
    return this.#running.getStore() !== undefined;
  }

  /** Throws where the work of a transaction goes on after its end: somebody did not wait for it. */
  current(): Transaction | undefined {
    const running = this.#running.getStore();
    if (!running?.hasEnded) return running?.transaction;
    throw new FoveaError('internal', 'The transaction that this belongs to has ended.');
  }

  /** The same of a statement that nobody waits for: its failure is that of a transaction. */
  toSend(): Transaction {
    const transaction = this.current();
    if (transaction !== undefined) return transaction;
    throw new FoveaError('internal', 'A statement that nobody waits for is in no transaction.');
  }

  /** Runs `work` as that of a transaction, which has ended for it when this settles. */
  async within<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
    const running = { transaction, hasEnded: false };
    try {
      return await this.#running.run(running, work);
    } finally {
      running.hasEnded = true;
    }
  }
}
