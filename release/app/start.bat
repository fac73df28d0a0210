@echo off
rem Opens the workbench, or a file or folder in it; with other arguments, runs a command of Semscale.
setlocal
if not defined SEMSCALE_MODELS set "SEMSCALE_MODELS=%~dp0models"
if "%~1"=="" goto workbench
if not "%~2"=="" goto command
if not exist "%~1" goto command
if not "%~x1"=="" goto file
if /i "%~1"=="%~f1" goto file
:command
"%~dp0python\python.exe" -I -X utf8 -m semscale %*
exit /b
:workbench
cd /d "%USERPROFILE%"
"%~dp0python\python.exe" -I -X utf8 -m semscale open
goto end
:file
"%~dp0python\python.exe" -I -X utf8 -m semscale open "%~1"
:end
if errorlevel 1 pause
exit /b
