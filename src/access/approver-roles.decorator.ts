import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, Matches } from 'class-validator';
import {
  approverRoleForm,
  approverRoleWords,
  MAX_APPROVER_ROLES,
} from '../governance/permissions/approver-rules.js';
import { mustBe } from '../http/fields/field-rules.decorator.js';

const words = mustBe(
  `a list of at most ${MAX_APPROVER_ROLES} names of roles: ${approverRoleWords}`,
);

/** The field is a list of roles of approvers. */
export const ApproverRoles = () =>
  applyDecorators(
    IsArray(words),
    ArrayMaxSize(MAX_APPROVER_ROLES, words),
    Matches(approverRoleForm, { each: true, ...words }),
  );
