// Input against a schema: every problem at once, each with its path and what would be right.

import type * as z from 'zod';
import type { Input, Operation } from './operation.ts';

export declare function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S>;
export declare function checkInput<O extends Operation>(operation: O, args: unknown): Input<O>;
export declare function flatSchema(operation: Operation): z.ZodObject;
