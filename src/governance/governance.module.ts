import { Module } from '@nestjs/common';
import { DecisionTrees } from './decision-tree/decision-trees.js';

/** The decision trees by name. The rules beside them are functions. */
@Module({ providers: [DecisionTrees], exports: [DecisionTrees] })
export class GovernanceModule {}
