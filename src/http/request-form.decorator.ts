import type { Type } from '@nestjs/common';

const FORM = 'turnpike:request-form';

/** How the fields of a request's class are refused. */
export interface RequestForm {
  /** All faults are listed, as clients of FastAPI parse them; each location begins with this. */
  listedIn?: 'body' | 'query';
  /** Fields that the class does not have are refused: what it is called then. */
  closed?: string;
  /** The error's details have the field's path as `param`. */
  namesParam?: true;
}

/** Declares how the fields of a class are refused. Default: the first fault alone; other fields are dropped. */
export const RequestForm =
  (form: RequestForm): ClassDecorator =>
  (target) =>
    Reflect.defineMetadata(FORM, form, target);

export function formOf(type: Type | undefined): RequestForm {
  const form = type === undefined ? undefined : Reflect.getMetadata(FORM, type);
  return (form as RequestForm | undefined) ?? {};
}
