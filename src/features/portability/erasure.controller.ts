import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import {
  Caller,
  NeedsScope,
  type Principal,
  PrincipalParamsDto,
  Unowned,
} from '../../access/face.js';
import { ApiErrors } from '../../http/face.js';
import { ForgetQueryDto, PrincipalReportDto } from './portability.dto.js';
import { PrincipalEraser } from './principal-eraser.js';

const manages = 'an operator answers for what is stored of whom';

/** Routes for keys with the scope `admin`. */
@ApiTags('admin')
@Controller('api/admin/principals')
@NeedsScope('admin')
export class ErasureController {
  constructor(private readonly eraser: PrincipalEraser) {}

  /** What is stored of a principal, in numbers: what forgetting it would delete */
  @Get(':principal')
  @Unowned(manages)
  @ApiErrors('INVALID_REQUEST')
  countPrincipal(@Param() { principal }: PrincipalParamsDto): Promise<PrincipalReportDto> {
    return this.eraser.report(principal);
  }

  /** End the turns of a principal, and delete all that is stored of it */
  @Delete(':principal')
  @Unowned(manages)
  @ApiOkResponse({ type: PrincipalReportDto, description: 'What there was.' })
  @ApiErrors('INVALID_REQUEST', 'TURN_IN_PROGRESS')
  forgetPrincipal(
    @Param() { principal }: PrincipalParamsDto,
    @Query() { projects = false }: ForgetQueryDto,
    @Caller() by: Principal,
  ): Promise<PrincipalReportDto> {
    return this.eraser.forget(principal, { projects, by });
  }
}
