# sample_program(NAME SOURCE...): a program over samples/common/gpu.h. It links the runtime by its
# soname and so runs on the virtual GPU or, where the loader finds the vendor's libcudart first, on
# a real one. NAME needs libcudart.so.13, NAME_cu12 needs libcudart.so.12.
set(WI_SAMPLES_COMMON ${CMAKE_CURRENT_LIST_DIR})

function(sample_program name)
  foreach(major 13 12)
    if(NOT TARGET vgpu_cudart${major})
      continue()
    endif()
    set(target ${name})
    if(major EQUAL 12)
      set(target ${name}_cu12)
    endif()
    add_executable(${target} ${ARGN} ${WI_SAMPLES_COMMON}/gpu_runtime.c)
    target_include_directories(${target} PRIVATE ${WI_SAMPLES_COMMON})
    target_link_libraries(${target} PRIVATE sample_pace vgpu_cudart${major} ${CMAKE_DL_LIBS})
    # The loader's path decides which GPU it is, not the place of the build.
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
  endforeach()
endfunction()
